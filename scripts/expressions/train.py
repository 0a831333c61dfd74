"""Learn blendshapes, expressions and emotions from a mesh and its pixels, and write the artefacts that vidscan reads.

    python train.py expressions.npz faces.zip

1. Blendshapes: a teacher of six networks learns the reference's 52 scores from augmented meshes; one
   small network then learns from the teacher, also on blends of two faces, and is what ships.
2. Pixels: a small convolutional network learns the emotion labels from the aligned faces.
3. Expressions: most are a blendshape or a distance; four that the reference hardly has (brow furrow,
   eye widening, lip corner depressor, nose wrinkle) are small sums of blendshapes and distances, all weights >= 0.
4. Emotions: sums of expressions with the published signs, and of the pixels' evidence. Expressions' and emotions'
   weights start from prior weights and are moved by the emotion labels only as far as the labels deserve.
5. Thresholds: by person, on scores of networks that have not seen the person.

Nothing here ever fits on a held-back row: held back are four whole clips and 22 % of the people.
"""

import hashlib
import json
import sys

import jax
import numpy as np

import emotions
import face
import figures
import formulas
import pixels
import subgroups
from blendshapes import Blendshapes
from data import EMOTION_LABELS, Data
from reference import GOLDEN, RESOURCES, Model


def write_artifacts(folder, blendshapes, network, constants, data):
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
    names = [f"pixels{i}" for i in range(len(network))]
    for name, (weight, bias) in zip(names, network):
        add(name + ".weight", weight)
        add(name + ".bias", bias)
    (folder / "expressions.weights").write_bytes(blob)
    description = {
        "format": 1,
        "weights_sha256": hashlib.sha256(blob).hexdigest(),
        "arrays": entries,
        "layers": layers,
        "blendshapes": data.names,
        "points": face.POINTS,
        "alignment_points": blendshapes.steady,
        "emotion_network": {
            "convolutions": names[:4], "dense": names[4:], "emotions": pixels.EMOTIONS,
            "floor": pixels.FLOOR, "limit": pixels.LIMIT,
        },
        "constants": constants,
    }
    (folder / "expressions.json").write_text(json.dumps(description, indent=1) + "\n")


def pattern(seed):
    """A crop for the golden cases that is no face: waves, seeded. 3 x 64 x 64 in 0...255, rounded."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[0:64, 0:64] / 64
    planes = []
    for _ in range(3):
        f = rng.uniform(1, 9, (4, 2))
        wave = sum(np.sin(2 * np.pi * (a * x + b * y) + i) for i, (a, b) in enumerate(f))
        planes.append(np.round(127 + 30 * wave))
    return np.clip(np.array(planes), 0, 255)


def write_golden(model, data, evidence, neutral):
    """Held-back faces as pixels of a picture, each placed, scaled and rotated differently, with the evidence of their
    pixels, which are not kept: twenty of all kinds, and the neutral face of each group. And patterns."""
    rng = np.random.default_rng(7)
    pictures, clips = np.where(data.held_pictures)[0], np.where(data.held_clips)[0]
    rows = [*rng.choice(pictures, 12, False), *rng.choice(clips, 8, False)]

    def case(i, row):
        angle = [0, 0, np.pi / 2, np.pi, -0.4][i % 5]
        turn = np.array([[np.cos(angle), np.sin(angle), 0], [-np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
        mesh = np.round(data.mesh[row] @ turn * [30, 60, 170, 400][i % 4] + [700 + 40 * i, 500, 0], 3)
        seen = {k: round(float(v[row]), 4) if np.isfinite(v[row]) else 0.0 for k, v in evidence.items()}
        return {"mesh": mesh.tolist(), "evidence": seen, "expected": model(mesh, seen)}

    cases = [case(i, row) for i, row in enumerate(rows)]
    faces = [case(i, row) | {"group": group} for i, (group, row) in enumerate(neutral.items())]
    patterns = []
    for seed in range(4):
        crop = pattern(seed)
        patterns.append({"crop": crop.astype(int).ravel().tolist(), "expected": model.see(crop)})
    tolerance = {"blendshapes": 1e-4, "evidence": 1e-3, "others": 2e-2}
    golden = {"tolerance": tolerance, "cases": cases, "neutral": faces, "patterns": patterns}
    GOLDEN.write_text(json.dumps(golden) + "\n")


def main():
    data = Data(sys.argv[1])
    crops = pixels.Crops(sys.argv[2], len(data.emotion))
    print(
        f"training {data.training.sum()}, held-back pictures {data.held_pictures.sum()} of {data.picture.sum()}, "
        f"held-back clip frames {data.held_clips.sum()}"
    )
    blendshapes = Blendshapes(data)
    aligned, rotation = blendshapes.aligned, blendshapes.rotation
    scores = blendshapes.out_of_fold()
    blendshapes.fit()
    training = np.where(data.training)[0]
    network = pixels.train(data, crops, training, EMOTION_LABELS, blendshapes.mirrored_target, 10)
    logits = pixels.out_of_fold(data, crops, EMOTION_LABELS, blendshapes.mirrored_target)
    shown = np.where(~data.training & crops.present)[0]
    logits[shown] = pixels.forward(network, crops.pixels[shown])
    evidence = pixels.evidence(logits)

    jax.config.update("jax_enable_x64", True)
    constants = emotions.fit_constants(data, scores, aligned, rotation, evidence)
    neutral = emotions.neutral_faces(data, crops, aligned, rotation)
    groups = subgroups.groups(data, crops, aligned, rotation, np.where(neutral)[0])
    rows = np.where(neutral & data.training)[0]
    resting = subgroups.at_rest(groups, data)
    within = {name: mask[rows] for name, mask in resting.items()}
    level = emotions.set_thresholds(constants, data, scores, aligned, rotation, evidence, rows, within)
    write_artifacts(RESOURCES, blendshapes, network, constants, data)

    model = Model(RESOURCES)
    shown_scores, out = model.batch(data.mesh, {k: np.nan_to_num(v) for k, v in evidence.items()})
    named = crops.present & np.isin(data.emotion, EMOTION_LABELS) & data.held_pictures & ~data.film
    found = figures.report(data, model, shown_scores, out, evidence, EMOTION_LABELS)
    found["emotion_auc_cross_validated"] = emotions.cross_validated(data, scores, aligned, rotation, evidence)
    trained = formulas.everything(constants, scores[rows], face.measures(aligned[rows], rotation[rows]),
                                  {k: v[rows] for k, v in evidence.items()})
    found["labels"] = figures.labels(data, out, trained, neutral, resting, rows, emotions.SHOWN) | {"level": round(level, 4)}
    found["emotion_auc_by_group"] = figures.by_group(data, out, groups, named)
    found["extreme_shapes"] = figures.extreme_shapes(data, model, evidence, aligned, rotation, neutral, emotions.SHOWN)
    write_golden(model, data, evidence, figures.examples(data, out, neutral, resting, emotions.SHOWN))
    figures.show(found)
    (RESOURCES / "expressions.figures.json").write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
