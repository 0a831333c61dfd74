"""Faces that we labelled by eye, and what vidscan sees in them.

labels.csv has rows of FER+ (as in votes.npz) and of faces.zip, and says for three action units whether they are to be seen:
4, brows drawn down and together; 14, corners of the closed mouth drawn inwards; 15, corners drawn down. They were drawn by
what most people see in them, so that each emotion has some (for AU 14 mostly contempt), and shown in a random order,
without that, at three times their size. `none` and `clear` are what we were sure of; `slight` is left out; an empty cell was
not judged. None of us is a certified FACS coder. The network of the pixels has learned from most of those of FER+.
"""

import csv
from pathlib import Path

import numpy as np

import face
import formulas
import pixels


class Labels:
    """The clear labels of an action unit; `held`: of the rows that nothing is fitted on. `evidence`: that of faces.zip, NaN
    where the network of the pixels has learned from the picture or there are no pixels; such faces are left out."""

    def __init__(self, unit, model, network, data, votes, evidence):
        with open(Path(__file__).parent / "labels.csv") as file:
            table = [r for r in csv.DictReader(file) if r[unit] in ("none", "clear")]
        voted = [r for r in table if r["set"] == "ferplus" and votes.has_mesh[int(r["row"])]]
        press = [r for r in table if r["set"] == "faces" and np.isfinite(evidence["joy"][int(r["row"])])]
        a, b = np.array([int(r["row"]) for r in voted], int), np.array([int(r["row"]) for r in press], int)
        self.hit = np.array([r[unit] == "clear" for r in voted + press])
        self.held = np.concatenate([votes.valid[a], data.held_pictures[b]])
        # What most people named, to compare faces of one emotion.
        self.majority = np.concatenate([votes.majority[a], np.full(len(b), -1)])
        self.scores, aligned, rotation = model.blendshapes(np.concatenate([votes.mesh[a], data.mesh[b]]))
        self.geometry = face.measures(aligned, rotation)
        seen = pixels.evidence(pixels.see(network, votes.seen(a)))
        self.evidence = {k: np.concatenate([v, evidence[k][b]]) for k, v in seen.items()}

    def seen(self, c, rows):
        """Terms, evidence and labels, as `emotions.learn` wants them."""
        terms = {k: v[rows] for k, v in formulas.terms(c, self.scores, self.geometry).items()}
        return terms, {k: v[rows] for k, v in self.evidence.items()}, self.hit[rows].astype(float)

    def expression(self, c, name):
        return formulas.expressions(c, self.scores, self.geometry, self.evidence)[name]
