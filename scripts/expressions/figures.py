"""Figures of a trained model on rows it has not seen. Used by train.py; everything is printed and stored."""

import numpy as np

import calibration
import face
import pixels

EMOTION_OF_LABEL = {"happiness": "joy", "surprise": "surprise", "anger": "anger", "disgust": "disgust", "sadness": "sadness"}


def correlation(a, b):
    if a.std() < 1e-6 or b.std() < 1e-6:
        return float("nan")
    return float(np.corrcoef(a, b)[0, 1])


def auc(score, hit, weight=None):
    """Chance that a hit scores above a miss (ties count half)."""
    weight = np.ones(len(score)) if weight is None else weight
    values, inverse = np.unique(score, return_inverse=True)
    miss = np.bincount(inverse, weight * ~hit, len(values))
    below = np.cumsum(miss) - miss / 2
    return float((below[inverse] * weight)[hit].sum() / weight[hit].sum() / miss.sum())


def balanced(label):
    """Weights under which every label has the same mass."""
    weight = np.zeros(len(label))
    for name in np.unique(label):
        weight[label == name] = 1 / (label == name).sum()
    return weight


def report(data, model, scores, out, evidence, labels):
    """`scores`, `out`: of the shipped networks and formulas, for all rows; `evidence`: NaN where there are no pixels."""
    target, names = data.target, data.names
    pictures, clips = data.held_pictures, data.held_clips
    figures = {"rows": {"training": int(data.training.sum()), "held_back_pictures": int(pictures.sum()), "held_back_clip_frames": int(clips.sum())}}
    active = np.argsort(-target.std(0))
    table = {}
    for i in active:
        if target[:, i].std() > 0.01:
            both = pictures | clips
            table[names[i]] = [round(correlation(scores[k, i], target[k, i]), 3) for k in (pictures, clips, both)]
    figures["blendshape_correlation"] = table
    top = [table[names[i]] for i in active[:15]]
    figures["mean_of_15_most_active"] = [round(float(np.mean([t[k] for t in top])), 4) for k in range(3)]
    figures["smile"] = [
        round(correlation(scores[k][:, [names.index("mouthSmileLeft"), names.index("mouthSmileRight")]].mean(1),
                          target[k][:, [names.index("mouthSmileLeft"), names.index("mouthSmileRight")]].mean(1)), 3)
        for k in (pictures, clips, pictures | clips)
    ]

    def mean15(rows, predicted=None):
        p = scores if predicted is None else predicted
        return round(float(np.mean([correlation(p[rows, i], target[rows, i]) for i in active[:15]])), 3)

    _, _, rotation = face.features(data.mesh, model.arrays["canonical"], model.description["alignment_points"])
    axis = face.view_axis(rotation)
    yaw, pitch = np.degrees(np.arctan2(axis[:, 0], axis[:, 2])), -np.degrees(np.arcsin(axis[:, 1]))  # > 0: face turned up
    figures["by_absolute_yaw"] = {
        f"{a}-{b}": [int((k := pictures & (abs(yaw) >= a) & (abs(yaw) < b)).sum()), mean15(k)]
        for a, b in ((0, 10), (10, 20), (20, 30), (30, 90))
    }
    figures["by_pitch"] = {
        f"{a}..{b}": [int((k := pictures & (pitch >= a) & (pitch < b)).sum()), mean15(k)]
        for a, b in ((-90, -15), (-15, -5), (-5, 5), (5, 15), (15, 90))
    }
    figures["by_eye_distance_px"] = {
        f"{a}-{b}": [int((k := pictures & (data.eye_pixels >= a) & (data.eye_pixels < b)).sum()), mean15(k)]
        for a, b in ((0, 100), (100, 150), (150, 180), (180, 400))
    }
    rng = np.random.default_rng(3)
    figures["by_point_jitter"] = {}
    for level in (0, 0.005, 0.01, 0.02, 0.03, 0.05):
        rows = np.where(pictures)[0]
        moved = model.blendshapes(data.mesh[rows] + rng.normal(0, level, data.mesh[rows].shape))[0]
        value = np.mean([correlation(moved[:, i], target[rows, i]) for i in active[:15]])
        figures["by_point_jitter"][str(level)] = round(float(value), 3)

    named = np.isin(data.emotion, labels) & np.isfinite(evidence["joy"])
    naive = {
        "joy": lambda s: s("mouthSmile"),
        "surprise": lambda s: s("browInnerUp") + s("browOuterUp") + s("eyeWide") + s("jawOpen"),
        "anger": lambda s: s("browDown") - 0.5 * s("mouthSmile") - s("browInnerUp"),
        "disgust": lambda s: s("mouthUpperUp") - 0.6 * s("mouthSmile"),
        "sadness": lambda s: s("mouthFrown") - 0.3 * s("mouthSmile"),
    }
    of = lambda stem: target[:, [i for i, n in enumerate(names) if n in (stem, stem + "Left", stem + "Right")]].mean(1)
    figures["emotion_auc"] = {}
    for label, emotion in EMOTION_OF_LABEL.items():
        row = {}
        for tag, subset in (("held_back", pictures & named), ("held_back_without_film", pictures & named & ~data.film)):
            hit, weight = data.emotion[subset] == label, balanced(data.emotion[subset])
            mine, theirs = out["emotions"][emotion][subset], naive[emotion](of)[subset]
            row[tag] = {
                "labels": int(hit.sum()),
                "ours": round(auc(mine, hit), 3),
                "ours_labels_balanced": round(auc(mine, hit, weight), 3),
                "reference_scores": round(auc(theirs, hit), 3),
                "reference_scores_labels_balanced": round(auc(theirs, hit, weight), 3),
            }
        figures["emotion_auc"][emotion] = row
    smile = out["expressions"]["smile"]
    rows = pictures & named
    happy = data.emotion[rows] == "happiness"
    yes = out["eyes"]["has_smile"][rows] > 0
    figures["has_smile"] = {"auc": round(auc(smile[rows], happy), 3), "hit_rate": round(float(yes[happy].mean()), 3), "false_rate": round(float(yes[~happy].mean()), 3)}
    figures["eyes"] = {}
    for side, name in (("left", "eyeBlinkLeft"), ("right", "eyeBlinkRight")):
        blink, mine = target[:, names.index(name)], -out["eyes"][f"{side}_eye_openness"]
        for tag, k in (("pictures", pictures), ("clips", clips)):
            k = k & ((blink > 0.55) | (blink < 0.35))
            shut, said = blink[k] > 0.55, out["eyes"][f"{side}_eye_closed"][k] > 0
            figures["eyes"][f"{side} {tag}"] = {"shut": int(shut.sum()), "auc": round(auc(mine[k], shut), 4), "hit_rate": round(float(said[shut].mean()), 3), "false_rate": round(float(said[~shut].mean()), 4)}
    apart = np.abs(target[:, names.index("eyeBlinkLeft")] - target[:, names.index("eyeBlinkRight")])
    figures["wink"] = {}
    for tag, k in (("pictures", pictures), ("clips", clips)):
        k = k & ((apart > 0.3) | (apart < 0.15))
        one = apart[k] > 0.3
        if one.any():
            figures["wink"][tag] = {"one_eye": int(one.sum()), "auc": round(auc(out["eyes"]["wink"][k], one), 4), "false_rate": round(float((out["eyes"]["wink"][k][~one] >= 50).mean()), 4)}
    figures["wink_false_rate_by_absolute_yaw"] = {
        f"{a}-{b}": round(float((out["eyes"]["wink"][k & (apart < 0.15)] >= 50).mean()), 3)
        for a, b in ((0, 10), (10, 20), (20, 30), (30, 90))
        for k in [(pictures | clips) & (abs(yaw) >= a) & (abs(yaw) < b)]
    }
    figures["median_smirk_by_absolute_yaw"] = {
        f"{a}-{b}": round(float(np.median(out["expressions"]["smirk"][pictures & (abs(yaw) >= a) & (abs(yaw) < b)])), 1)
        for a, b in ((0, 10), (10, 20), (20, 30), (30, 90))
    }
    figures["spread"] = {}
    for group in ("expressions", "emotions", "emojis"):
        for name, values in out[group].items():
            figures["spread"][name] = [
                round(float(q), 1) for q in np.quantile(values[pictures & np.isfinite(evidence["joy"])], [0.05, 0.5, 0.95])]
    return figures


def votes(model, votes, network):
    """On the held-back pictures of FER+: how well faces are told apart, by the emotion that most people named.

    `found`: how many faces with the emotion exceed the score that 2 % of the neutral ones exceed, and how many of
    either reach the 50 at which vidscan names it.
    """
    rows = np.where(votes.valid & votes.usable & (votes.majority >= 0))[0]
    logits = pixels.see(network, votes.seen(rows))
    majority, meshed = votes.majority[rows], votes.has_mesh[rows]
    right = logits.argmax(1) == majority
    seen = pixels.evidence(logits)
    out = model.batch(votes.mesh[rows[meshed]], {k: v[meshed] for k, v in seen.items()})[1]["emotions"]
    found = {"pictures": len(rows), "with_mesh": int(meshed.sum()), "majority_found": round(float(right.mean()), 4),
             "majority_found_with_mesh": round(float(right[meshed].mean()), 4), "emotions": {}}
    neutral = majority[meshed] == 0
    for name in pixels.EMOTIONS[1:]:
        hit, all_hit = majority[meshed] == pixels.EMOTIONS.index(name), majority == pixels.EMOTIONS.index(name)
        score = out[name]
        found["emotions"][name] = {
            "faces": int(hit.sum()),
            "auc": round(auc(score, hit), 3),
            "auc_of_pixels": round(auc(seen[name][meshed], hit), 3),
            "auc_of_pixels_with_and_without_mesh": round(auc(seen[name], all_hit), 3),
            "found_at_2_percent_of_neutral": round(float((score[hit] > np.quantile(score[neutral], 0.98)).mean()), 3),
            "named": round(float((score[hit] >= 50).mean()), 3),
            "neutral_named": round(float((score[neutral] >= 50).mean()), 4),
        }
    return found


def action_units(c, labels):
    """Against labels by eye: all of them, those of held-back pictures, and those in which most people see no joy or
    surprise."""
    found = {}
    for name, faces in labels.items():
        score = faces.expression(c, name)
        plain = ~np.isin(faces.majority, [pixels.EMOTIONS.index("joy"), pixels.EMOTIONS.index("surprise")])
        found[name] = {}
        for tag, rows in (("all", np.ones(len(faces.hit), bool)), ("held_back", faces.held), ("without_joy_and_surprise", plain)):
            hit = faces.hit[rows]
            if hit.any() and not hit.all():
                found[name][tag] = {
                    "with": int(hit.sum()), "without": int((~hit).sum()), "auc": round(auc(score[rows], hit), 3),
                    "reach_50": round(float((score[rows][hit] >= 50).mean()), 3),
                    "without_reach_50": round(float((score[rows][~hit] >= 50).mean()), 3)}
    return found


NAMED = ["anger", "joy", "sadness", "surprise"]
# The label of a picture that an emoji should go with, as far as the labels have one.
EMOJI_LABEL = {
    "laughing": "happiness", "smiley": "happiness", "relaxed": "happiness", "scream": "surprise", "rage": "anger",
    "disappointed": "sadness", "flushed": "surprise", "kissing": "", "wink": "", "smirk": "",
}


def labels(data, out, trained, neutral, groups, rows, shown):
    """Who is labelled: by group of people, and how many of those who show the emotion.

    `trained`: outputs for `rows`, by networks that have not seen them. `shown`: the emojis that may name a face.
    """
    score = {n: out["emotions"][n] for n in NAMED} | {"emoji " + n: out["emojis"][n] for n in shown}
    train_score = {n: trained["emotions"][n] for n in NAMED} | {"emoji " + n: trained["emojis"][n] for n in shown}
    found = {}
    for tag, member, values in (
        ("people of the thresholds", rows, np.max(list(train_score.values()), 0)),
        ("people held back", np.where(neutral & data.held_pictures)[0], None),
    ):
        if values is None:
            values = np.max([v[member] for v in score.values()], 0)
        counts = calibration.labelled_people(values >= 50, data.person[member], {n: g[member] for n, g in groups.items()})
        found[tag] = {n: [c["people"], c["labelled_people"], c["pictures"], c["labelled_pictures"]] for n, c in counts.items()}
    calm, held = neutral & data.held_pictures, data.held_pictures & np.isfinite(out["emotions"]["joy"])
    table = {}
    everything = {n: v for n, v in out["emotions"].items() if n not in ("engagement", "valence")}
    everything |= {"emoji " + n: v for n, v in out["emojis"].items()}
    for name, values in everything.items():
        wanted = EMOJI_LABEL.get(name[6:], "") if name.startswith("emoji ") else {v: k for k, v in EMOTION_OF_LABEL.items()}.get(name, "")
        who = calibration.labelled_people(values[calm] >= 50, data.person[calm], {"all": np.ones(calm.sum(), bool)})["all"]
        table[name] = {"neutral people": who["people"], "labelled people": who["labelled_people"]}
        if wanted:
            hit = held & ~data.film & (data.emotion == wanted)
            table[name] |= {"label": wanted, "pictures": int(hit.sum()), "found": round(float((values[hit] >= 50).mean()), 3)}
    return found | {"each": table}


def by_group(data, out, groups, rows):
    """AUC of each emotion among the pictures of a group, of `rows`, with the number of its labels; from ten on."""
    found = {}
    for group, mask in groups.items():
        k = rows & mask
        found[group] = {"pictures": int(k.sum())}
        for label, emotion in EMOTION_OF_LABEL.items():
            hit = data.emotion[k] == label
            if hit.sum() >= 10:
                found[group][emotion] = [round(auc(out["emotions"][emotion][k], hit), 3), int(hit.sum())]
    return found


def extreme_shapes(data, model, evidence, aligned, rotation, neutral, shown):
    """The share of labelled faces if frontal neutral held-back faces differ from themselves by 2.5 standard deviations
    along the main differences between people, to either side. Their pixels' evidence stays what it is."""
    axis = face.view_axis(rotation)
    frontal = neutral & (abs(np.degrees(np.arctan2(axis[:, 0], axis[:, 2]))) < 10)
    who, inverse = np.unique(data.person[frontal], return_inverse=True)
    means = np.zeros((len(who), 478 * 3))
    np.add.at(means, inverse, aligned[frontal].reshape(-1, 478 * 3))
    means /= np.bincount(inverse)[:, None]
    _, size, direction = np.linalg.svd(means - means.mean(0), full_matrices=False)
    rows = np.where(frontal & data.held_pictures)[0]
    seen = {k: v[rows] for k, v in evidence.items()}

    def share(offset):
        meshes = (aligned[rows] + offset.reshape(1, 478, 3)) @ np.transpose(rotation[rows], (0, 2, 1))
        out = model.batch(meshes, seen)[1]
        labelled = np.max([*(out["emotions"][n] for n in NAMED), *(out["emojis"][n] for n in shown)], 0) >= 50
        return round(float(labelled.mean()), 4)

    found = {"pictures": len(rows), "themselves": share(np.zeros(478 * 3))}
    for k in range(8):
        step = 2.5 * size[k] / np.sqrt(len(who)) * direction[k]
        found[f"difference {k + 1}"] = sorted([share(-step), share(step)])
    return found


def examples(data, out, neutral, groups, shown):
    """A held-back neutral picture of each group, of those without a label: by a fixed draw."""
    labelled = np.max([*(out["emotions"][n] for n in NAMED), *(out["emojis"][n] for n in shown)], 0) >= 50
    rng = np.random.default_rng(11)
    pools = {n: np.where(neutral & data.held_pictures & ~labelled & g)[0] for n, g in groups.items()}
    return {n: int(rng.choice(p)) for n, p in pools.items() if len(p)}


def show(figures, indent=""):
    for key, value in figures.items():
        if isinstance(value, dict):
            print(f"{indent}{key}")
            show(value, indent + "  ")
        else:
            print(f"{indent}{key}: {value}")
