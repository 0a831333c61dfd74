#!/usr/bin/env python3
"""Learns which differences in face shape distinguish people, and writes them as JSON.

usage: train_face_shape.py expressions.npz Sources/VidscanFaces/Data/face-shape.json

The input holds attention meshes of pictures and clips (arrays `mesh` and `source`). Pictures are named after the person in them
(NAME_0001.jpg), which gives pairs of the same and of different people. Meshes are aligned in position, size and orientation. A linear
discriminant analysis keeps 24 dimensions, scaled so that pictures of one person differ by 1 in each. The script prints
how well the result verifies people who were not in the training set (four folds by person).
"""

import base64
import collections
import re
import sys
import textwrap

import numpy as np
from scipy.linalg import eigh

DIMENSIONS = 24
REGULARISATION = 0.1
# Points that expressions hardly move align the face; the others only add to its shape.
STEADY = sorted({
    1, 2, 4, 5, 6, 33, 133, 362, 263, 168, 195, 197, 8, 9, 10, 127, 356, 234, 454, 93, 323, 132, 361, 98, 327, 48, 278,
    64, 294, 129, 358, 151, 108, 337, 69, 299, 54, 284, 103, 332, 67, 297, 109, 338, 21, 251, 162, 389, 50, 280, 101,
    330, 118, 347, 117, 346, 116, 345, 123, 352, 205, 425})
OTHERS = sorted({
    58, 288, 172, 397, 136, 365, 150, 379, 149, 378, 176, 400, 148, 377, 152, 70, 63, 105, 66, 107, 336, 296, 334, 293,
    300, 61, 291, 0, 17, 13, 14, 37, 267})


def person(source):
    if "#" in source:
        return "clip " + source.split("#")[0]
    name = source.split("/")[-1]
    match = re.match(r"(.+?)_\d{4}\.", name)
    return match.group(1) if match else name


def aligned(mesh, target):
    a = mesh[:len(STEADY)]
    b = target[:len(STEADY)]
    am, bm = a.mean(0), b.mean(0)
    a, b = a - am, b - bm
    u, s, vt = np.linalg.svd(a.T @ b)
    sign = np.array([1, 1, np.sign(np.linalg.det(u @ vt))])
    return (s * sign).sum() / (a ** 2).sum() * (mesh - am) @ (u @ np.diag(sign) @ vt) + bm


def fit(x, labels):
    within = np.zeros((x.shape[1],) * 2)
    weight = 0.0
    for name in sorted(set(labels)):
        rows = x[labels == name]
        if len(rows) < 2:
            continue
        w = min(1.0, 30 / len(rows))
        rows = rows - rows.mean(0)
        within += w * rows.T @ rows
        weight += w * (len(rows) - 1)
    within /= weight
    within += REGULARISATION * np.trace(within) / len(within) * np.eye(len(within))
    ratio, vectors = eigh(np.cov(x.T), within)
    return x.mean(0), vectors[:, ::-1][:, :DIMENSIONS], ratio[::-1][:DIMENSIONS]


def score(a, b, na, nb, between):
    """Log likelihood ratio of one person against two: two-covariance PLDA, within-variance 1."""
    va, vb = 1 / na, 1 / nb
    ta, tb = between + va, between + vb
    determinant = ta * tb - between ** 2
    same = (tb * a * a - 2 * between * a * b + ta * b * b) / determinant + np.log(determinant)
    other = a * a / ta + b * b / tb + np.log(ta * tb)
    return 0.5 * (other - same).sum(-1)


def equal_error(same, other):
    thresholds = np.sort(np.concatenate([same, other]))
    false_accept = 1 - np.searchsorted(np.sort(other), thresholds) / len(other)
    false_reject = np.searchsorted(np.sort(same), thresholds) / len(same)
    place = np.argmin(abs(false_accept - false_reject))
    return (false_accept[place] + false_reject[place]) / 2


def between_variance(x, labels, model):
    mean, vectors, _ = model
    y = (x - mean) @ vectors
    return np.maximum(y.var(0) - 1, 0.05)


def report(x, labels, people):
    rng = np.random.default_rng(0)
    for size in (1, 4):
        same, other = [], []
        for fold in range(4):
            test = np.array([people.get(name, -1) % 4 == fold and name in people for name in labels])
            model = fit(x[~test], labels[~test])
            between = between_variance(x[~test], labels[~test], model)
            y = (x[test] - model[0]) @ model[1]
            rows = labels[test]
            groups = []
            for name in sorted(set(rows)):
                own = rng.permutation(y[rows == name])[:4 * size]
                parts = [own[i:i + size].mean(0) for i in range(0, len(own) - size + 1, size)]
                same += [score(parts[i], parts[j], size, size, between) for i in range(len(parts)) for j in range(i)]
                groups += [(name, part) for part in parts[:1]]
            for i in range(len(groups)):
                other += [score(groups[i][1], groups[j][1], size, size, between) for j in range(i)]
        same, other = np.array(same), np.array(other)
        limit = np.quantile(other, 0.99)
        print(f"{size} picture(s) a side: equal error {equal_error(same, other):.3f}, found at 1 % false {(same > limit).mean():.2f}"
              f" ({len(same)} pairs of one person, {len(other)} of two)")


def write(path, canonical, model, between):
    """Writes what VidscanFaces reads: one list of numbers for each name, wrapped so that differences can be read."""
    mean, vectors, _ = model
    scale = np.abs(vectors).max(0) / 32767
    packed = base64.b64encode(np.round(vectors / scale).T.astype("<i2").tobytes()).decode()
    lists = {"steady": map(str, STEADY), "others": map(str, OTHERS)}
    for name, values in [("canonical", canonical.reshape(-1)), ("mean", mean), ("scale", scale), ("between", between)]:
        lists[name] = (f"{value:.6g}" for value in values)
    lists["projection"] = (f'"{packed[i:i + 112]}"' for i in range(0, len(packed), 112))
    with open(path, "w") as file:
        file.write("{\n" + ",\n".join(
            f'  "{name}": [\n' + textwrap.fill(", ".join(values), 120, initial_indent="    ", subsequent_indent="    ")
            + "\n  ]" for name, values in lists.items()) + "\n}\n")


def main():
    data = np.load(sys.argv[1])
    labels = np.array([person(str(source)) for source in data["source"]])
    mesh = data["mesh"][:, STEADY + OTHERS].astype(np.float64)
    canonical = mesh.mean(0)
    for _ in range(3):
        shapes = np.array([aligned(m, canonical) for m in mesh])
        canonical = shapes.mean(0)
        # Keep the size that the outer eye corners set.
        canonical = (canonical - canonical.mean(0)) / np.linalg.norm(
            canonical[STEADY.index(33)] - canonical[STEADY.index(263)])
    x = np.array([aligned(m, canonical) for m in mesh]).reshape(len(mesh), -1)
    counts = collections.Counter(labels)
    people = {n: i for i, n in enumerate(sorted(n for n in counts if counts[n] > 1 and not n.startswith("clip")))}
    report(x, labels, people)
    model = fit(x, labels)
    write(sys.argv[2], canonical, model, between_variance(x, labels, model))


main()
