"""Learn blendshapes, expressions and emotions from a mesh, and write the artefacts that vidscan reads.

    python train.py expressions.npz

1. Blendshapes: a teacher of six networks learns the reference's 52 scores from augmented meshes; one
   small network then learns from the teacher, also on blends of two faces, and is what ships.
2. Expressions: most are a blendshape or a distance; four that the reference hardly has (brow furrow,
   eye widening, lip corner depressor, nose wrinkle) are small sums of blendshapes and distances, all weights >= 0.
3. Emotions: sums of expressions with the published signs. Expressions' and emotions' weights start
   from prior weights and are moved by the emotion labels only as far as the labels deserve.

Nothing here ever fits on a held-back row: held back are four whole clips and 22 % of the people.
"""

import hashlib
import json
import re
import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from scipy.optimize import linear_sum_assignment, minimize

import face
import figures
import formulas
import network
from reference import GOLDEN, RESOURCES, Model

HELD_CLIPS = {"live/d3.mp4", "live/d13.mp4", "live/d19.mp4", "live/s20.mp4"}
SPLIT_SALT = "split-26-"
HIDDEN = [320, 128]
EMOTION_LABELS = ["neutral", "happiness", "surprise", "anger", "sadness", "disgust"]


def bucket(text, count):
    return int(hashlib.sha256(text.encode()).hexdigest(), 16) % count


def rodrigues(vectors):
    angle = np.linalg.norm(vectors, axis=1)[:, None, None]
    x, y, z = (vectors / angle[:, 0]).T
    o = np.zeros_like(x)
    k = np.stack([np.stack([o, -z, y], 1), np.stack([z, o, -x], 1), np.stack([-y, x, o], 1)], 1)
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k


class Data:
    """The npz, split by person and by clip."""

    def __init__(self, path):
        d = np.load(path)
        self.mesh = d["mesh"].astype(np.float64)
        self.target = d["blendshapes"].astype(np.float64)
        self.names = [str(n) for n in d["blendshape_names"]]
        self.pose = d["pose"][:, :3, :3].astype(np.float64)
        self.emotion = d["emotion"]
        self.eye_pixels = d["eye_distance_px"]
        source = [str(s) for s in d["source"]]
        self.clip = np.array([s.split("#")[0] if "#" in s else "" for s in source])
        # One person has many pictures: the name without its number keeps them on one side of the split.
        self.person = np.array(
            ["" if "#" in s else s if "facial-expr" in s else re.sub(r"_?\d+\.jpg$", "", s) for s in source]
        )
        press = np.array([bool(re.search(r"_\d{4}\.jpg$", s)) for s in source])
        self.picture = self.clip == ""
        self.film = self.picture & ~press & np.array(["facial-expr" not in s for s in source])
        held_person = np.array([bucket(SPLIT_SALT + p, 100) < 22 for p in self.person])
        self.held_pictures = self.picture & held_person
        self.held_clips = np.array([c in HELD_CLIPS for c in self.clip])
        self.training = ~self.held_pictures & ~self.held_clips
        self.fold = np.array([bucket(p or c, 5) for p, c in zip(self.person, self.clip)])


def canonical_face(data):
    """Mean of the aligned training faces, made symmetric and turned to the reference's frontal pose.

    Returns the face and, for each point, its mirror image's index.
    """
    meshes = data.mesh[data.training]
    points = np.arange(468)
    mean = meshes[np.abs(meshes[:, 1, 0]).argmin()].copy()
    for _ in range(5):
        mean = face.align(meshes, mean, points)[0].mean(0)
    left = [33, 133, 61, 159, 145, 105, 234, 127, 58, 10, 152, 1, 4, 168, 6, 0, 17]
    right = [263, 362, 291, 386, 374, 334, 454, 356, 288, 10, 152, 1, 4, 168, 6, 0, 17]
    flipped = mean * [-1, 1, 1]
    # Match mirrored to plain points: align by a few known pairs first, then pair by distance.
    paired = flipped.copy()
    paired[left + right] = flipped[right + left]
    known = np.array(left + right)
    _, rotation, scale = face.align(paired[None], mean, known)
    moved = (flipped - paired[known].mean(0)) @ rotation[0] * scale[0] + mean[known].mean(0)
    distance = np.linalg.norm(moved[:, None] - mean[None], axis=2)
    distance[468:, :468] = distance[:468, 468:] = 9  # an iris point mirrors to an iris point
    mirror = linear_sum_assignment(distance)[1]
    assert (mirror[mirror] == np.arange(478)).all()
    # The reference's pose has y up and z towards the camera; ours has y down and z away.
    flip = np.diag([1.0, -1, -1])
    pose = flip @ data.pose[data.training] @ flip
    rotation = face.align(meshes, mean, points)[1]
    u, _, vt = np.linalg.svd((np.transpose(rotation, (0, 2, 1)) @ pose).mean(0))
    frontal = (mean - mean[168]) @ (u @ vt)
    frontal = (frontal + (frontal * [-1, 1, 1])[mirror]) / 2
    frontal -= frontal[168]
    frontal /= np.linalg.norm(frontal[33] - frontal[263])
    return np.float32(frontal).astype(np.float64), mirror


class Blendshapes:
    def __init__(self, data):
        self.data = data
        self.canonical, self.mirror = canonical_face(data)
        self.steady = face.steady_points(self.canonical)
        swap = lambda n: n.replace("Left", "@").replace("Right", "Left").replace("@", "Right")
        self.mirrored_target = np.array([data.names.index(swap(n)) for n in data.names])
        self.inputs, self.aligned, self.rotation = face.features(data.mesh, self.canonical, self.steady)
        spread = 1 / np.sqrt(data.target[data.training].std(0) + 0.03)
        self.weights = spread / spread.mean()  # rare scores count a little more than their variance

    def augmented(self, rows, seed):
        """Point jitter 0.1-0.7 % of the eye distance, half mirrored, turned by about 3 degrees."""
        rng = np.random.default_rng(seed)
        x, t = self.data.mesh[rows].copy(), self.data.target[rows].copy()
        x += rng.normal(0, 0.006, x.shape) * rng.uniform(0.2, 1.2, (len(x), 1, 1))
        half = rng.random(len(x)) < 0.5
        x[half] = (x[half] * [-1, 1, 1])[:, self.mirror]
        t[half] = t[half][:, self.mirrored_target]
        x = x @ np.transpose(rodrigues(rng.normal(0, np.radians(3), (len(x), 3))), (0, 2, 1))
        return face.features(x, self.canonical, self.steady)[0], t

    def blended(self, rows, seed):
        """Faces between two training faces: unlabelled, the teacher says what they show."""
        rng = np.random.default_rng(seed)
        a, part = self.aligned[rows], rng.uniform(0, 0.5, (len(rows), 1, 1))
        x = (1 - part) * a + part * a[rng.permutation(len(rows))]
        x = x @ np.transpose(self.rotation[rows], (0, 2, 1))
        x = x @ np.transpose(rodrigues(rng.normal(0, np.radians(4), (len(x), 3))), (0, 2, 1))
        x += rng.normal(0, 0.004, x.shape)
        return face.features(x, self.canonical, self.steady)[0]

    def scaler(self, rows):
        mean, deviation = self.inputs[rows].mean(0), self.inputs[rows].std(0) + 1e-4
        return np.float32(mean), np.float32(1 / deviation)

    def out_of_fold(self):
        """Predictions for the training rows by networks that have not seen their person or clip."""
        data, out = self.data, np.full(self.data.target.shape, np.nan)
        for fold in range(5):
            rows = np.where(data.training & (data.fold != fold))[0]
            test = data.training & (data.fold == fold)
            mean, scale = self.scaler(rows)
            copies = [self.augmented(rows, 100 * fold + k) for k in range(6)]
            x = [np.float32((f - mean) * scale) for f, _ in copies]
            t = [np.float32(t) for _, t in copies]
            shown = np.float32((self.inputs[test] - mean) * scale)
            parts = [network.predict(network.train(x, t, [256, 128], self.weights, 48, s), shown) for s in (0, 1)]
            out[test] = np.mean(parts, 0)
        return out

    def fit(self):
        rows = np.where(self.data.training)[0]
        self.mean, self.scale = self.scaler(rows)
        norm = lambda f: np.float32((f - self.mean) * self.scale)
        copies = [self.augmented(rows, 1000 + k) for k in range(10)]
        x, t = [norm(f) for f, _ in copies], [np.float32(t) for _, t in copies]
        sizes = [[256, 128], [256, 128], [256, 128], [384, 192], [256, 256], [256, 256]]
        members = [network.train(x, t, h, self.weights, 60, s) for s, h in enumerate(sizes)]
        teacher = lambda f: np.mean([network.predict(p, f) for p in members], 0)
        self.teacher_scores = teacher(norm(self.inputs))
        t = [np.float32(0.7 * teacher(f) + 0.3 * labels) for f, labels in zip(x, t)]
        for k in range(10):
            f = norm(self.blended(rows, 2000 + k))
            x.insert(2 * k, f)
            t.insert(2 * k, np.float32(teacher(f)))
        self.layers = network.train(x, t, HIDDEN, self.weights, 100, 11, decay=0.03)


# ---------------------------------------------------------------------------------------------------
# Expressions and emotions
# ---------------------------------------------------------------------------------------------------

# How much each emotion's labels are trusted against the prior weights. Joy: the smile alone already
# tells as well as any weights fitted to the labels. Anger: most labels are shouting athletes, which would
# make it a matter of open mouths. Disgust: a dozen labels outside film stills, and in the stills they
# follow the actor. There the prior stays, or nearly so.
LABEL_TRUST = {"joy": 0.0, "surprise": 1.0, "anger": 0.1, "sadness": 0.3, "disgust": 0.0}
LABEL = {"joy": "happiness", "surprise": "surprise", "anger": "anger", "sadness": "sadness", "disgust": "disgust"}
PULL = 0.002
FILM_WEIGHT = 0.3
NEUTRAL_WEIGHT = 4
EXPRESSION_FREEDOM = 0.25


def fit_constants(data, scores, aligned, rotation):
    """All numbers of `formulas`: from training rows only. `scores`: out-of-fold blendshapes."""
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
    # 50 is what one in twenty faces that people called neutral exceed; their median is 10, unless that
    # would push strong expressions against 100, where they could no longer be told apart.
    neutral = label == "neutral"
    expressions = formulas.expressions(c, scores[rows], geometry)
    for spec in c["emotions"].values():
        z = formulas.emotion_logit(spec, expressions)
        middle, edge = np.quantile(z[neutral], [0.5, 0.95])
        spec["bias"] = round(spec["bias"] - float(edge), 3)
        spec["gain"] = round(float(min(np.log(9) / (edge - middle), np.log(999) / (np.quantile(z, 0.99) - edge))), 3)
    for name in ("valence", "engagement"):
        c[name]["bias"] = round(-float(np.median(formulas.weighted_sum(c[name], expressions)[neutral])) / 100, 3)
    return c


def cross_validated(data, scores, aligned, rotation):
    """Emotion AUC over the training people's labels, each person scored by constants fitted without them.

    The held-back people carry few of the rare labels; this uses four times as many.
    """
    labelled = data.training & data.picture & np.isin(data.emotion, EMOTION_LABELS)
    everyone, logits = data.training, {name: np.zeros(len(data.emotion)) for name in LABEL}
    for fold in range(5):
        test = np.where(labelled & (data.fold == fold))[0]
        data.training = everyone & (data.fold != fold)
        c = fit_constants(data, scores, aligned, rotation)
        e = formulas.expressions(c, scores[test], face.measures(aligned[test], rotation[test]))
        for name in LABEL:
            logits[name][test] = formulas.emotion_logit(c["emotions"][name], e)
    data.training = everyone
    out = {}
    for name, wanted in LABEL.items():
        out[name] = {}
        for tag, rows in (("all", labelled), ("without_film", labelled & ~data.film)):
            hit = data.emotion[rows] == wanted
            weight = figures.balanced(data.emotion[rows])
            out[name][tag] = {
                "labels": int(hit.sum()),
                "auc": round(figures.auc(logits[name][rows], hit), 3),
                "auc_labels_balanced": round(figures.auc(logits[name][rows], hit, weight), 3),
            }
    return out


# ---------------------------------------------------------------------------------------------------
# Artefacts
# ---------------------------------------------------------------------------------------------------


def write_artifacts(folder, blendshapes, constants, data):
    folder.mkdir(parents=True, exist_ok=True)
    blob, entries = b"", {}

    def add(name, array):
        nonlocal blob
        entries[name] = {"offset": len(blob), "shape": list(array.shape)}
        blob += np.ascontiguousarray(array, "<f4").tobytes()

    add("canonical", blendshapes.canonical)
    add("input_mean", blendshapes.mean)
    add("input_scale", blendshapes.scale)
    layers = []
    for i in range(len(blendshapes.layers) // 2):
        add(f"layer{i}.weight", blendshapes.layers[2 * i])
        add(f"layer{i}.bias", blendshapes.layers[2 * i + 1])
        last = i == len(blendshapes.layers) // 2 - 1
        layers.append({"name": f"layer{i}", "activation": "sigmoid" if last else "silu"})
    (folder / "expressions.weights").write_bytes(blob)
    description = {
        "format": 1,
        "weights_sha256": hashlib.sha256(blob).hexdigest(),
        "arrays": entries,
        "layers": layers,
        "blendshapes": data.names,
        "points": face.POINTS,
        "alignment_points": blendshapes.steady,
        "constants": constants,
    }
    (folder / "expressions.json").write_text(json.dumps(description, indent=1) + "\n")


def write_golden(model, data):
    """Twenty held-back faces as pixels of a picture, each placed, scaled and rotated differently."""
    rng = np.random.default_rng(7)
    rows = np.concatenate(
        [rng.choice(np.where(data.held_pictures)[0], 12, False), rng.choice(np.where(data.held_clips)[0], 8, False)]
    )
    cases = []
    for i, row in enumerate(rows):
        angle = [0, 0, np.pi / 2, np.pi, -0.4][i % 5]
        turn = np.array([[np.cos(angle), np.sin(angle), 0], [-np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
        mesh = np.round(data.mesh[row] @ turn * [30, 60, 170, 400][i % 4] + [700 + 40 * i, 500, 0], 3)
        cases.append({"mesh": mesh.tolist(), "expected": model(mesh)})
    text = json.dumps({"tolerance": {"blendshapes": 1e-4, "others": 1e-2}, "cases": cases})
    GOLDEN.write_text(text + "\n")


def main():
    data = Data(sys.argv[1])
    print(
        f"training {data.training.sum()}, held-back pictures {data.held_pictures.sum()} of {data.picture.sum()}, "
        f"held-back clip frames {data.held_clips.sum()}"
    )
    blendshapes = Blendshapes(data)
    scores = blendshapes.out_of_fold()
    blendshapes.fit()
    jax.config.update("jax_enable_x64", True)
    constants = fit_constants(data, scores, blendshapes.aligned, blendshapes.rotation)
    write_artifacts(RESOURCES, blendshapes, constants, data)
    model = Model(RESOURCES)
    write_golden(model, data)
    found = figures.report(data, model, EMOTION_LABELS)
    found["emotion_auc_cross_validated"] = cross_validated(data, scores, blendshapes.aligned, blendshapes.rotation)
    figures.show(found)
    (RESOURCES / "expressions.figures.json").write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
