"""Fit the numbers of the formulas: what joins the mesh and the pixels to emotions, from the votes of FER+."""

import numpy as np
from scipy.optimize import lsq_linear, minimize

import calibration
import face
import figures
import formulas
from data import EMOTION_LABELS
from votes import NAMES

LABEL = {"joy": "happiness", "surprise": "surprise", "anger": "anger", "sadness": "sadness", "disgust": "disgust",
         "fear": "fear", "contempt": "contempt"}
# How strongly a weight is held to its prior, and the least that each term keeps.
PULL, LEAST = 0.001, 0.05
# How strongly the weights of expressions that are learned with the pixels are held to 0. It shares the weight between
# points and pixels, which err on different faces; the faces labelled by eye are few.
SMILE_PULL, LABELS_PULL, DIMPLER_PULL = 0.03, 0.1, 0.03


# The emojis that may name a face, besides the emotions of `figures.NAMED`.
SHOWN = ["disappointed", "kissing", "laughing", "rage", "scream", "smiley", "wink"]
# Those that follow no emotion, and so need a threshold of their own, with their share of the level: full lips look like
# a kiss, which is seldom meant.
ALONE = {"flushed": 1, "kissing": 0.6, "relaxed": 1, "smirk": 1, "wink": 1}


# Learned expressions that are placed on neutral faces, and the action units they stand for.
UNIT_OF = {"brow_furrow": "AU4", "dimpler": "AU14", "lip_corner_depressor": "AU15"}


def fit_constants(data, scores, aligned, rotation):
    """The numbers of `formulas` that describe press photographs, of training rows only. `scores`: out of fold."""
    rows = np.where(data.training & data.picture & np.isin(data.emotion, EMOTION_LABELS))[0]
    geometry = face.measures(aligned[rows], rotation[rows])
    film = data.film[rows]
    c = formulas.initial_constants(data.names)
    # Distances differ with smile, jaw and head turn whatever the muscle in question does: take that out.
    base = formulas.covariates(c, scores[rows], geometry)
    for name in formulas.RESIDUALS:
        values = geometry[name]
        fit = np.linalg.lstsq(base[~film], values[~film], rcond=None)[0]
        rest = values - base @ fit
        c["residuals"][name] = {"coefficients": fit.tolist(), "deviation": float(rest[~film].std())}
    for name, parts in formulas.LOGITS.items():
        z = formulas.mean_logit(c, scores[rows], parts)
        c["logits"][name] = {"scores": parts, "mean": float(z[~film].mean()), "deviation": float(z[~film].std())}
    return c


def learn(c, name, terms, evidence, share, pull):
    """Learns how much the points and all of the pixels' evidence count in an expression that `share` of those who looked
    saw: a logistic regression, in which faces with and without it weigh the same together. `pull`: how strongly a
    weight, per standard deviation of what it weighs, is held to 0."""
    spec = c["learned_expressions"][name]
    x = np.stack([*(terms[k] for k in spec["weights"]), *evidence.values(), np.ones(len(share))], 1)
    deviation = np.append(x[:, :-1].std(0), 0)
    hit, miss = share / share.sum(), (1 - share) / (1 - share).sum()

    def objective(theta):
        z = x @ theta
        likely = formulas.sigmoid(z)
        loss = (hit * np.logaddexp(0, -z) + miss * np.logaddexp(0, z)).sum() + pull * ((deviation * theta) ** 2).sum()
        return loss, x.T @ (miss * likely - hit * (1 - likely)) + 2 * pull * deviation**2 * theta

    values = iter(round(float(v), 3) for v in minimize(objective, np.zeros(x.shape[1]), jac=True, method="L-BFGS-B").x)
    spec["weights"] = {k: next(values) for k in spec["weights"]}
    spec["evidence"] = {k: next(values) for k in evidence}


def scale(spec, gain):
    for group in ("weights", "evidence"):
        spec[group] = {k: round(gain * w, 3) for k, w in spec[group].items()}


def place_smile(c, data, scores, aligned, rotation, evidence, rows):
    """Sets where the smile's score lies: one person in twenty exceeds the threshold in more than one in twenty of their
    neutral pictures (see `calibration`), and the scores of the reference's faces are spread as the reference's."""
    faces = data.training & data.picture & np.isfinite(evidence["joy"])
    spread = formulas.mean_logit(c, data.target[faces], formulas.LOGITS["smile"]).std()
    spec = c["learned_expressions"]["smile"]

    def logit(rows):
        terms = formulas.terms(c, scores[rows], face.measures(aligned[rows], rotation[rows]))
        return formulas.learned_logit(spec, terms, {k: v[rows] for k, v in evidence.items()})

    scale(spec, float(spread / logit(faces).std()))
    limits = np.sort(calibration.by_person(logit(rows), data.person[rows]))
    edge = limits[len(limits) - 1 - int(calibration.PEOPLE_SHARE * len(limits))]
    threshold = c["thresholds"]["has_smile"] / 100
    spec["bias"] = round(float(np.log(threshold / (1 - threshold)) - edge), 3)


def learn_expressions(c, labels, votes, faces, scores, geometry, evidence):
    """The smile from the votes for happiness, brow furrow and lip corner depressor from faces labelled by eye, and the
    dimpler from the votes for contempt, whose unit in FACS is AU 14: no set of coded faces is free for any use. `scores`,
    `geometry` and `evidence` are those of `faces` of FER+."""
    for name in ("brow_furrow", "lip_corner_depressor"):
        learn(c, name, *labels[name].seen(c, ~labels[name].held), LABELS_PULL)
    terms = formulas.terms(c, scores, geometry)
    for name, vote, pull in (("dimpler", "contempt", DIMPLER_PULL), ("smile", "happiness", SMILE_PULL)):
        learn(c, name, terms, evidence, votes.target[faces][:, NAMES.index(vote)], pull)


def place_action_units(c, terms, evidence):
    """Of the neutral faces given, the median becomes 10, and one in ten reaches 50: of the neutral press photographs
    labelled by eye, as many have a clear furrow between their brows. Nothing tells how many have the others."""
    for name in UNIT_OF:
        spec = c["learned_expressions"][name]
        middle, edge = np.quantile(formulas.learned_logit(spec, terms, evidence), [0.5, 0.9])
        gain = float(np.log(9) / (edge - middle))
        scale(spec, gain)
        spec["bias"] = round(-gain * float(edge), 3)


def fit_engagement(c, neutral_e):
    """The median of the neutral faces comes out 0."""
    c["engagement"]["bias"] = 0.0
    c["engagement"]["bias"] = round(-float(np.median(formulas.weighted_sum(c["engagement"], neutral_e))) / 100, 3)


def join(c, e, evidence, target, weight):
    """Learns each emotion's weights of the expressions `e` and of the pixels' `evidence`: a logistic regression whose
    weights keep their signs. `target`: the fractions of votes; `weight`: of each face. Together, faces with and without
    the emotion weigh the same."""
    for name, spec in c["emotions"].items():
        share = target[:, NAMES.index(LABEL[name])]
        signed = [(1, k) for k in spec["raises"]] + [(-1, k) for k in spec["lowers"]]
        x = np.stack([sign * e[k] / 100 for sign, k in signed] + [evidence[name], np.ones(len(share))], 1)
        prior = np.array([*spec["raises"].values(), *spec["lowers"].values(), 1.0, 0.0])
        pull = np.full(len(prior), PULL)
        pull[-1] = 0
        hit, miss = weight * share / (weight @ share), weight * (1 - share) / (weight @ (1 - share))

        def objective(theta):
            z = x @ theta
            loss = (hit * np.logaddexp(0, -z) + miss * np.logaddexp(0, z)).sum() + (pull * (theta - prior) ** 2).sum()
            likely = formulas.sigmoid(z)
            return loss, x.T @ (miss * likely - hit * (1 - likely)) + 2 * pull * (theta - prior)

        bounds = [(LEAST, None)] * (len(prior) - 1) + [(None, None)]
        theta = minimize(objective, prior, jac=True, bounds=bounds, method="L-BFGS-B", options={"maxiter": 500}).x
        values = iter(round(float(v), 3) for v in theta)
        for group in ("raises", "lowers"):
            spec[group] = {key: next(values) for key in spec[group]}
        spec["evidence"], spec["bias"], spec["gain"] = next(values), next(values), 1.0


def fit_valence(c, e, evidence, target, weight, neutral_e, neutral_evidence):
    """Least squares, with signs kept: votes for happiness against those for what is unpleasant. Needs the thresholds,
    because emotions are among its terms. The median of the neutral faces comes out 0."""
    spec = c["valence"]
    pleasant = target[:, NAMES.index("happiness")]
    unpleasant = sum(target[:, NAMES.index(n)] for n in ("sadness", "anger", "disgust", "fear", "contempt"))
    values = e | formulas.emotions(c, e, evidence)
    prior = np.array(list(spec["weights"].values()))
    sign = np.sign(prior)
    x = np.stack([values[k] / 100 * s for k, s in zip(spec["weights"], sign)] + [np.ones(len(pleasant))], 1)
    pull, root = np.sqrt(PULL * len(x)) * np.eye(len(prior) + 1)[:-1], np.sqrt(weight / weight.mean())
    theta = lsq_linear(np.vstack([root[:, None] * x, pull]),
                       np.concatenate([root * (pleasant - unpleasant), pull @ np.append(abs(prior), 0)]),
                       ([LEAST] * len(prior) + [-np.inf], np.inf)).x
    spec["weights"] = {k: round(float(s * v), 3) for k, s, v in zip(spec["weights"], sign, theta)}
    spec["bias"] = 0.0
    resting = neutral_e | formulas.emotions(c, neutral_e, neutral_evidence)
    spec["bias"] = round(-float(np.median(formulas.weighted_sum(spec, resting))) / 100, 3)


def neutral_faces(data, crops, aligned, rotation):
    """The press pictures with pixels that people call neutral, turned no further than vidscan measures."""
    axis = face.view_axis(rotation)
    yaw, pitch = np.degrees(np.arctan2(axis[:, 0], axis[:, 2])), np.degrees(np.arcsin(axis[:, 1]))
    frontal = (abs(yaw) <= 40) & (abs(pitch) <= 30)
    return data.picture & ~data.film & (data.person != "") & (data.emotion == "neutral") & crops.present & frontal


def set_thresholds(c, data, scores, aligned, rotation, evidence, rows, groups):
    """Where each emotion and each emoji reaches 50, by person (see `calibration`). Returns the levels.

    `rows`: neutral pictures of people that the scores and the evidence come from no fit to. `groups`: masks over them.
    """
    geometry = face.measures(aligned[rows], rotation[rows])
    seen = {k: v[rows] for k, v in evidence.items()}
    person = data.person[rows]
    eye = formulas.eyes(c, scores[rows], geometry)
    e = formulas.expressions(c, scores[rows], geometry, seen)
    everyone = data.training & data.picture & np.isfinite(evidence["joy"])
    all_e = formulas.expressions(
        c, scores[everyone], face.measures(aligned[everyone], rotation[everyone]),
        {k: v[everyone] for k, v in evidence.items()})
    raw, highest = {}, {}
    for name, spec in c["emotions"].items():
        spec["bias"] = 0.0
        raw[name] = formulas.emotion_logit(spec, e, seen[name])
        highest[name] = np.quantile(formulas.emotion_logit(spec, all_e, evidence[name][everyone]), 0.99)

    def labels_at(levels):
        for name, spec in c["emotions"].items():
            edge = calibration.threshold(raw[name], person, groups, levels[name]) + 1e-3
            middle = np.median(raw[name][groups["everyone"]])
            spec["bias"] = round(-edge, 3)
            # The median of neutral faces is 10, unless that would push strong expressions against 100, where they
            # could no longer be told apart.
            spec["gain"] = round(float(min(np.log(9) / (edge - middle), np.log(999) / max(highest[name] - edge, 0.1))), 3)
        emotion = formulas.emotions(c, e, seen)
        alone = formulas.raw_emojis(e, emotion, eye)
        for name, share in ALONE.items():
            # By everyone: in single groups, one or two people who do wink or pucker, whatever their label, would decide.
            everybody = {"everyone": groups["everyone"]}
            edge = calibration.threshold(alone[name], person, everybody, share * levels[name]) + 0.05
            c["emoji_edges"][name] = round(min(max(edge, 1.0), 99.0), 2)
        emoji = formulas.emojis(c, e, emotion, eye)
        return labelled(emotion, emoji)

    names, shown = [*c["emotions"], *ALONE], [*figures.NAMED, *(n for n in SHOWN if n in ALONE)]
    levels = calibration.largest_levels(labels_at, names, shown, person, groups)
    labels_at(levels)
    return levels


def labelled(emotion, emoji):
    """Whether anything names a face."""
    return np.max([*(emotion[n] for n in figures.NAMED), *(emoji[n] for n in SHOWN)], 0) >= 50


def press_auc(c, data, scores, aligned, rotation, evidence):
    """Emotion AUC over the labels of the training people whom the network of the pixels has not seen.

    The held-back people carry few of the rare labels; this uses four times as many.
    """
    named = data.training & data.picture & np.isin(data.emotion, EMOTION_LABELS) & np.isfinite(evidence["joy"])
    e = formulas.expressions(c, scores, face.measures(aligned, rotation), evidence)
    out = {}
    for name in figures.EMOTION_OF_LABEL.values():
        logit = formulas.emotion_logit(c["emotions"][name], e, evidence[name])
        out[name] = {}
        for tag, rows in (("all", named), ("without_film", named & ~data.film)):
            hit = data.emotion[rows] == LABEL[name]
            weight = figures.balanced(data.emotion[rows])
            out[name][tag] = {
                "labels": int(hit.sum()),
                "auc": round(figures.auc(logit[rows], hit), 3),
                "auc_labels_balanced": round(figures.auc(logit[rows], hit, weight), 3),
            }
    return out
