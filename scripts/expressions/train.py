"""Learn blendshapes, expressions and emotions from a mesh and its pixels, and write the artefacts that vidscan reads.

    python votes.py ferplus.zip vidscan votes.npz
    python portraits.py masks.zip fairface.zip vidscan portraits.npz
    python train.py expressions.npz faces.zip votes.npz portraits.npz
    python train.py expressions.npz faces.zip votes.npz    # keeps the networks, and fits what comes after them anew

1. Blendshapes: a teacher of six networks learns the reference's 52 scores from augmented meshes; one
   small network then learns from the teacher, also on blends of two faces, and is what ships.
2. Pixels: a convolutional network learns how ten people voted on each face of FER+, and the labels of the press
   photographs.
3. Covers: a second head of that network learns to see masks, hands, cups and sunglasses, most of them drawn over faces.
4. Expressions: most are a blendshape or a distance. Eye widening and nose wrinkle, which the reference hardly has, are
   small sums of both, all weights >= 0. Smile, brow furrow, dimpler and lip corner depressor join these and the pixels;
   they are learned from votes and from faces labelled by eye (labels.csv).
5. Emotions: sums of expressions with the published signs, and of the pixels' evidence. The weights are learned from
   votes on faces that the network of the pixels has not seen.
6. Thresholds: by person, on scores of networks that have not seen the person.

Nothing here ever fits on a held-back row: held back are the valid pictures of FER+, four whole clips and 22 % of the
people. All seeds are fixed.
"""

import hashlib
import json
import sys

import numpy as np

import cover
import emotions
import face
import figures
import formulas
import pixels
import subgroups
from blendshapes import Blendshapes
from data import EMOTION_LABELS, Data
from labels import Labels
from reference import GOLDEN, RESOURCES, Model
from votes import Votes


def write_artifacts(folder, blendshapes, network, head, constants, data):
    """`network`: the layers of the stem and of the head for emotions; `head`: of the head for covers."""
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

    def part(prefix, layers, convolutions):
        names = [f"{prefix}{i}" for i in range(len(layers))]
        for name, (weight, bias) in zip(names, layers):
            add(name + ".weight", weight)
            add(name + ".bias", bias)
        count = len(convolutions)
        return {"convolutions": [{"name": n, "stride": s} for n, (_, s) in zip(names, convolutions)], "dense": names[count:]}

    emotion_head = part("pixels", network, pixels.CONVOLUTIONS)
    stem = emotion_head["convolutions"][: pixels.STEM]
    del emotion_head["convolutions"][: pixels.STEM]
    cover_head = part("cover", head, cover.CONVOLUTIONS[pixels.STEM :])
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
            "stem": stem, "emotion_head": emotion_head, "cover_head": cover_head, "emotions": pixels.EMOTIONS,
            "floor": pixels.FLOOR, "limit": pixels.LIMIT,
        },
        "constants": constants,
    }
    (folder / "expressions.json").write_text(json.dumps(description, indent=1) + "\n")


def pattern(seed):
    """A crop for the golden cases that is no face: slow waves, seeded. 3 x 48 x 48 in 0...255, rounded."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[0 : pixels.SIDE, 0 : pixels.SIDE] / pixels.SIDE
    planes = []
    for _ in range(3):
        f = rng.uniform(0.2, 2, (4, 2))
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
    votes = Votes(sys.argv[3])
    print(
        f"training {data.training.sum()}, held-back pictures {data.held_pictures.sum()} of {data.picture.sum()}, "
        f"held-back clip frames {data.held_clips.sum()}"
    )
    blendshapes = Blendshapes(data)
    scores = blendshapes.out_of_fold()
    if len(sys.argv) > 4:
        blendshapes.fit()
        trainer = pixels.Trainer(votes, data, crops)
        trainer.start()
        network = trainer.finish(np.where(pixels.press_rows(data))[0])
        head = cover.train(network[: pixels.STEM], data, crops, dict(np.load(sys.argv[4])))
    else:
        model = Model(RESOURCES)
        blendshapes.keep(model)
        network, head = model.layers("stem", "emotion_head"), model.layers("cover_head")
    assemble(data, crops, votes, blendshapes, scores, network, head)


def assemble(data, crops, votes, blendshapes, scores, network, head):
    """Fits the formulas, and writes and checks everything. `scores`: of the training rows, out of fold."""
    aligned, rotation = blendshapes.aligned, blendshapes.rotation
    logits = np.full((len(data.emotion), len(pixels.EMOTIONS)), np.nan)
    unseen = np.where(crops.present & ~pixels.press_rows(data))[0]
    logits[unseen] = pixels.see(network, crops.pixels[unseen])
    evidence = pixels.evidence(logits)
    constants = emotions.fit_constants(data, scores, aligned, rotation)
    write_artifacts(RESOURCES, blendshapes, network, head, constants, data)
    faces = np.where(votes.joining & votes.usable & votes.has_mesh)[0]
    seen = pixels.evidence(pixels.see(network, votes.seen(faces)))
    # The few mouths that only seem to smile weigh as much as all other faces together.
    grimace = votes.grimace[faces]
    weight = np.where(grimace, (~grimace).sum() / grimace.sum(), 1)
    model = Model(RESOURCES)
    voted_scores, voted_aligned, voted_rotation = model.blendshapes(votes.mesh[faces])
    voted_geometry = face.measures(voted_aligned, voted_rotation)
    labels = {
        name: Labels(unit, model, network, data, votes, evidence) for name, unit in emotions.UNIT_OF.items()}
    emotions.learn_expressions(constants, labels, votes, faces, voted_scores, voted_geometry, seen)

    neutral = emotions.neutral_faces(data, crops, aligned, rotation)
    groups = subgroups.groups(data, crops, aligned, rotation, np.where(neutral)[0])
    rows = np.where(neutral & data.training & np.isfinite(evidence["joy"]))[0]
    resting = subgroups.at_rest(groups, data)
    within = {name: mask[rows] for name, mask in resting.items()}
    emotions.place_smile(constants, data, scores, aligned, rotation, evidence, rows)
    at_rest = {k: v[rows] for k, v in evidence.items()}
    measured = face.measures(aligned[rows], rotation[rows])
    emotions.place_action_units(constants, formulas.terms(constants, scores[rows], measured), at_rest)
    joined = formulas.expressions(constants, voted_scores, voted_geometry, seen)
    emotions.join(constants, joined, seen, votes.target[faces], weight)
    levels = emotions.set_thresholds(constants, data, scores, aligned, rotation, evidence, rows, within)
    resting_expressions = formulas.expressions(constants, scores[rows], measured, at_rest)
    emotions.fit_valence(constants, joined, seen, votes.target[faces], weight, resting_expressions, at_rest)
    emotions.fit_engagement(constants, resting_expressions)
    write_artifacts(RESOURCES, blendshapes, network, head, constants, data)

    model = Model(RESOURCES)
    shown_scores, out = model.batch(data.mesh, {k: np.nan_to_num(v) for k, v in evidence.items()})
    named = crops.present & np.isin(data.emotion, EMOTION_LABELS) & data.held_pictures & ~data.film
    found = figures.report(data, model, shown_scores, out, evidence, EMOTION_LABELS)
    found["emotion_auc_training_people"] = emotions.press_auc(constants, data, scores, aligned, rotation, evidence)
    found["votes"] = figures.votes(model, votes, network)
    found["action_units"] = figures.action_units(constants, labels)
    trained = formulas.everything(constants, scores[rows], measured, at_rest)
    found["labels"] = figures.labels(data, out, trained, neutral, resting, rows, emotions.SHOWN) | {
        "levels": {name: round(level, 5) for name, level in levels.items()}}
    found["emotion_auc_by_group"] = figures.by_group(data, out, groups, named)
    found["extreme_shapes"] = figures.extreme_shapes(data, model, evidence, aligned, rotation, neutral, emotions.SHOWN)
    write_golden(model, data, evidence, figures.examples(data, out, neutral, resting, emotions.SHOWN))
    figures.show(found)
    (RESOURCES / "expressions.figures.json").write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
