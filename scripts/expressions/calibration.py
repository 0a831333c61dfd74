"""Thresholds by person: what a score of 50 means.

A person's own limit of a score is the value that at most 5 % of the person's neutral pictures exceed (with fewer
than twenty pictures: the highest value). A threshold holds for a group of people at the level L if a share of about L
of the group's people (interpolated between two of them) have a higher limit. The threshold of each score is the lowest
that holds in every large group, and L is the largest at which the labels together keep the promise: at most 5 % of
the people of each group have more than 5 % of their neutral pictures labelled by anything. At first L is the same for
all scores; then that of each score that may name a face is raised step by step, in turn, while the promise holds. In
groups of 150 people or more that must hold with 95 % confidence (Clopper and Pearson, Biometrika 26, 1934).
"""

import numpy as np
from scipy.stats import beta

from subgroups import MOUTH_OPEN

PICTURE_SHARE = 0.05
PEOPLE_SHARE = 0.05
CONFIDENCE = 0.95
# People in a group that a single threshold must hold in: with fewer, one person would decide.
LARGE_GROUP = 300
# People in a group that the promise is kept in with confidence, and people in one that it is kept in at all.
SURE_GROUP = 150
SMALLEST_GROUP = 40


def by_person(values, person, share=PICTURE_SHARE):
    """Each person's limit: the largest value but for `share` of the pictures."""
    order = np.lexsort((values, person))
    who, first, count = np.unique(person[order], return_index=True, return_counts=True)
    return values[order][first + count - 1 - np.floor(share * count).astype(int)]


def upper_bound(hits, count):
    return 1.0 if hits >= count else float(beta.ppf(CONFIDENCE, hits + 1, count - hits))


def threshold(values, person, groups, level):
    """The lowest value that holds at `level` in every group of pictures, interpolated between two people."""
    limits = [np.sort(by_person(values[g], person[g])) for name, g in groups.items() if name != MOUTH_OPEN]
    return max(
        float(np.interp((1 - level) * len(l) - 1, np.arange(len(l)), l)) for l in limits if len(l) >= LARGE_GROUP)


def labelled_people(labelled, person, groups):
    """For each group: its people, those with too many labelled pictures, its pictures, the labelled ones."""
    out = {}
    for name, g in groups.items():
        over = by_person(labelled[g].astype(float), person[g]) > 0.5
        out[name] = {"people": len(over), "labelled_people": int(over.sum()),
                     "pictures": int(g.sum()), "labelled_pictures": int(labelled[g].sum())}
    return out


def keeps(counts):
    def share(name, c):
        sure = c["people"] >= SURE_GROUP and name != MOUTH_OPEN
        return upper_bound(c["labelled_people"], c["people"]) if sure else c["labelled_people"] / c["people"]

    return all(share(name, c) <= PEOPLE_SHARE for name, c in counts.items() if c["people"] >= SMALLEST_GROUP)


# Levels are multiples of PEOPLE_SHARE / STEPS, and at most half of PEOPLE_SHARE.
STEPS = 200


def largest_levels(labels_at, names, shown, person, groups):
    """A level for each score at which all labels together keep the promise, and none can be raised by a step.
    `labels_at(levels)`: labelled pictures. `shown`: the scores that may label a picture; the others keep the common level."""
    def allowed(steps):
        levels = {name: PEOPLE_SHARE * step / STEPS for name, step in steps.items()}
        return keeps(labelled_people(labels_at(levels), person, groups))

    steps = next(s for k in range(STEPS // 2, -1, -1) if allowed(s := dict.fromkeys(names, k)) or k == 0)
    raised = set(shown)
    while raised:
        for name in [n for n in shown if n in raised]:
            more = steps | {name: steps[name] + 1}
            if steps[name] < STEPS // 2 and allowed(more):
                steps = more
            else:
                raised.discard(name)
    return {name: PEOPLE_SHARE * step / STEPS for name, step in steps.items()}
