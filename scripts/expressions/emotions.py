"""Fit the numbers of the formulas: expressions and emotions, from the emotion labels."""

import jax
import jax.numpy as jnp
import numpy as np
from scipy.optimize import minimize

import calibration
import face
import figures
import formulas
from data import EMOTION_LABELS

# How much each emotion's labels are trusted against the prior weights. Joy: the smile alone already
# tells as well as any weights fitted to the labels. Anger: most labels are shouting athletes, which would
# make it a matter of open mouths. Disgust: a dozen labels outside film stills, and in the stills they
# follow the actor. There the prior stays, or nearly so.
LABEL_TRUST = {"joy": 0.0, "surprise": 1.0, "anger": 0.0, "sadness": 0.3, "disgust": 0.0}
LABEL = {"joy": "happiness", "surprise": "surprise", "anger": "anger", "sadness": "sadness", "disgust": "disgust"}
PULL = 0.002
FILM_WEIGHT = 0.3
NEUTRAL_WEIGHT = 4
EXPRESSION_FREEDOM = 0.25


# The emojis that may name a face, besides the emotions of `figures.NAMED`.
SHOWN = ["disappointed", "kissing", "laughing", "rage", "scream", "smiley", "wink"]
# Those that follow no emotion, and so need a threshold of their own, with their share of the level: full lips look like
# a kiss, which is seldom meant.
ALONE = {"flushed": 1, "kissing": 0.6, "relaxed": 1, "smirk": 1, "wink": 1}


def fit_constants(data, scores, aligned, rotation, evidence):
    """All numbers of `formulas` but the thresholds: from training rows only.

    `scores`, `evidence`: of the blendshape network and of the emotion network, both out of fold.
    """
    rows = np.where(data.training & data.picture & np.isin(data.emotion, EMOTION_LABELS))[0]
    geometry = face.measures(aligned[rows], rotation[rows])
    film = data.film[rows]
    label = data.emotion[rows]
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

    terms = formulas.terms(c, scores[rows], geometry)
    plain = formulas.plain_expressions(c, scores[rows], geometry)
    slots, theta0, width, lowest = {}, [], [], []
    for name, spec in c["learned_expressions"].items():
        slots[name] = (len(theta0), len(spec["weights"]))
        theta0 += [*spec["weights"].values(), spec["bias"]]
        width += [EXPRESSION_FREEDOM] * len(spec["weights"]) + [0.3]
        lowest += [0.0] * len(spec["weights"]) + [0.0]
    for name in LABEL:
        spec = c["emotions"][name]
        slots[name] = (len(theta0), len(spec["raises"]) + len(spec["lowers"]))
        theta0 += [*spec["raises"].values(), *spec["lowers"].values(), spec["bias"]]
        width += [1.0] * slots[name][1] + [5.0]
        lowest += [0.05] * slots[name][1] + [0.0]  # every published arrow keeps some weight
    theta0, width = np.array(theta0), np.array(width)
    positive = np.ones(len(theta0), bool)
    for start, count in slots.values():
        positive[start + count] = False

    sample_weight = {}
    for name, wanted in LABEL.items():
        w = np.where(film, FILM_WEIGHT, 1.0)
        for other in EMOTION_LABELS:  # each emotion weighs the same, neutral more: it is what most faces are
            w[label == other] /= w[label == other].sum()
        w[label == "neutral"] *= NEUTRAL_WEIGHT
        hit = label == wanted
        w[hit] /= w[hit].sum()
        w[~hit] /= w[~hit].sum()
        sample_weight[name] = w

    def emotions_of(theta):
        e = dict(plain)
        for name, spec in c["learned_expressions"].items():
            start, count = slots[name]
            z = sum(theta[start + i] * terms[t] for i, t in enumerate(spec["weights"]))
            e[name] = jax.nn.sigmoid(z + theta[start + count])
        out = {}
        for name in LABEL:
            spec = c["emotions"][name]
            start, count = slots[name]
            signed = [(1, k) for k in spec["raises"]] + [(-1, k) for k in spec["lowers"]]
            out[name] = sum(s * theta[start + i] * e[k] for i, (s, k) in enumerate(signed)) + theta[start + count]
        return out

    def objective(theta):
        total = (((theta - theta0) / width) ** 2).sum() * PULL
        for name, z in emotions_of(theta).items():
            t = jnp.array(label == LABEL[name], float)
            total += LABEL_TRUST[name] * (sample_weight[name] * (jnp.logaddexp(0, z) - t * z)).sum()
        return total

    value_and_gradient = jax.jit(jax.value_and_grad(objective))
    result = minimize(
        lambda t: tuple(np.asarray(v, float) for v in value_and_gradient(t)),
        theta0,
        jac=True,
        bounds=[(low, None) if p else (None, None) for low, p in zip(lowest, positive)],
        method="L-BFGS-B",
        options={"maxiter": 500},
    )
    theta = [round(float(v), 3) for v in result.x]
    for name, (start, count) in slots.items():
        spec = c["learned_expressions"].get(name) or c["emotions"][name]
        values = iter(theta[start : start + count])
        for group in ("weights", "raises", "lowers"):
            for key in spec.get(group, {}):
                spec[group][key] = next(values)
        spec["bias"] = theta[start + count]
    neutral = label == "neutral"
    expressions = formulas.expressions(c, scores[rows], geometry)
    press = ~film & np.isfinite(evidence["joy"][rows])
    weight = figures.balanced(label[press])
    for name, spec in c["emotions"].items():
        seen = evidence[name][rows][press] if name in c["evidence"] else None
        z = formulas.emotion_logit(spec, {k: v[press] for k, v in expressions.items()}, 0)
        if seen is not None:
            spec["evidence"] = round(c["evidence"][name] * deviation(z, weight) / deviation(seen, weight), 3)
        spec["gain"] = 1.0
    for name in ("valence", "engagement"):
        c[name]["bias"] = round(-float(np.median(formulas.weighted_sum(c[name], expressions)[neutral])) / 100, 3)
    return c


def neutral_faces(data, crops, aligned, rotation):
    """The press pictures with pixels that people call neutral, turned no further than vidscan measures."""
    axis = face.view_axis(rotation)
    yaw, pitch = np.degrees(np.arctan2(axis[:, 0], axis[:, 2])), np.degrees(np.arcsin(axis[:, 1]))
    frontal = (abs(yaw) <= 40) & (abs(pitch) <= 30)
    return data.picture & ~data.film & (data.person != "") & (data.emotion == "neutral") & crops.present & frontal


def deviation(values, weight):
    mean = np.average(values, weights=weight)
    return float(np.sqrt(np.average((values - mean) ** 2, weights=weight)))


def set_thresholds(c, data, scores, aligned, rotation, evidence, rows, groups):
    """Where each emotion and each emoji reaches 50, by person (see `calibration`). Returns the level.

    `rows`: neutral pictures of people that the scores and the evidence come from no fit to. `groups`: masks over them.
    """
    geometry = face.measures(aligned[rows], rotation[rows])
    seen = {k: v[rows] for k, v in evidence.items()}
    person = data.person[rows]
    eye = formulas.eyes(c, scores[rows], geometry)
    e = formulas.expressions(c, scores[rows], geometry)
    everyone = data.training & data.picture & np.isfinite(evidence["joy"])
    all_e = formulas.expressions(c, scores[everyone], face.measures(aligned[everyone], rotation[everyone]))
    raw, highest = {}, {}
    for name, spec in c["emotions"].items():
        spec["bias"] = 0.0
        raw[name] = formulas.emotion_logit(spec, e, seen.get(name, 0))
        all_seen = evidence[name][everyone] if name in evidence else 0
        highest[name] = np.quantile(formulas.emotion_logit(spec, all_e, all_seen), 0.99)

    def labels_at(level):
        for name, spec in c["emotions"].items():
            edge = calibration.threshold(raw[name], person, groups, level) + 1e-3
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
            edge = calibration.threshold(alone[name], person, everybody, share * level) + 0.05
            c["emoji_edges"][name] = round(min(max(edge, 1.0), 99.0), 2)
        emoji = formulas.emojis(c, e, emotion, eye)
        return labelled(emotion, emoji)

    level = calibration.largest_level(labels_at, person, groups)
    labels_at(level)
    return level


def labelled(emotion, emoji):
    """Whether anything names a face."""
    return np.max([*(emotion[n] for n in figures.NAMED), *(emoji[n] for n in SHOWN)], 0) >= 50


def cross_validated(data, scores, aligned, rotation, evidence):
    """Emotion AUC over the training people's labels, each person scored by constants fitted without them.

    The held-back people carry few of the rare labels; this uses four times as many.
    """
    named = data.training & data.picture & np.isin(data.emotion, EMOTION_LABELS) & np.isfinite(evidence["joy"])
    everyone, logits = data.training, {name: np.zeros(len(data.emotion)) for name in LABEL}
    for fold in range(5):
        test = np.where(named & (data.fold == fold))[0]
        data.training = everyone & (data.fold != fold)
        c = fit_constants(data, scores, aligned, rotation, evidence)
        e = formulas.expressions(c, scores[test], face.measures(aligned[test], rotation[test]))
        for name in LABEL:
            seen = evidence[name][test] if name in evidence else 0
            logits[name][test] = formulas.emotion_logit(c["emotions"][name], e, seen)
    data.training = everyone
    out = {}
    for name, wanted in LABEL.items():
        out[name] = {}
        for tag, rows in (("all", named), ("without_film", named & ~data.film)):
            hit = data.emotion[rows] == wanted
            weight = figures.balanced(data.emotion[rows])
            out[name][tag] = {
                "labels": int(hit.sum()),
                "auc": round(figures.auc(logits[name][rows], hit), 3),
                "auc_labels_balanced": round(figures.auc(logits[name][rows], hit, weight), 3),
            }
    return out
