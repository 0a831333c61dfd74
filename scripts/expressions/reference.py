"""Inference from the artefacts alone, as plainly as it can be written. The shipped code must agree.

    python reference.py        # checks the golden cases of the tests against this file
"""

import json
import sys
from pathlib import Path

import numpy as np

import cover
import face
import formulas
import pixels


ROOT = Path(__file__).resolve().parents[2]
RESOURCES = ROOT / "Sources/VidscanFaces/Resources"
GOLDEN = ROOT / "Tests/VidscanFacesTests/expressions.golden.json"


class Model:
    def __init__(self, folder):
        folder = Path(folder)
        self.description = json.loads((folder / "expressions.json").read_text())
        blob = (folder / "expressions.weights").read_bytes()
        self.arrays = {}
        for name, a in self.description["arrays"].items():
            count = int(np.prod(a["shape"]))
            values = np.frombuffer(blob, "<f4", count, a["offset"])
            self.arrays[name] = values.reshape(a["shape"]).astype(np.float64)
        self.constants = self.description["constants"]

    def blendshapes(self, meshes):
        """Scores N x 52, and the aligned meshes and rotations they came from."""
        d = self.description
        x, aligned, rotation = face.features(meshes, self.arrays["canonical"], d["alignment_points"], d["points"])
        x = (x - self.arrays["input_mean"]) * self.arrays["input_scale"]
        for layer in d["layers"]:
            x = x @ self.arrays[layer["name"] + ".weight"] + self.arrays[layer["name"] + ".bias"]
            x = x * formulas.sigmoid(x) if layer["activation"] == "silu" else formulas.sigmoid(x)
        return x, aligned, rotation

    def layers(self, *parts):
        """The weights and biases of parts of the network of the pixels."""
        network = self.description["emotion_network"]
        names = [name for part in parts for name in pixels.names_of(network[part])]
        return [(self.arrays[n + ".weight"], self.arrays[n + ".bias"]) for n in names]

    def see(self, crop):
        """The evidence of one crop, and what covers it, 0...100: R', G', B' in 0...255, 3 x 48 x 48."""
        luma = np.tensordot([0.299, 0.587, 0.114], np.asarray(crop, np.float64).reshape(3, pixels.SIDE, pixels.SIDE), 1)
        found = pixels.evidence(pixels.forward(self.layers("stem", "emotion_head"), luma[None]))
        covers = pixels.forward(self.layers("stem", "cover_head"), luma[None], cover.CONVOLUTIONS)
        found |= dict(zip(cover.OUTPUTS, 100 * formulas.sigmoid(covers).T))
        return {k: float(v[0]) for k, v in found.items()}

    def batch(self, meshes, evidence):
        scores, aligned, rotation = self.blendshapes(np.asarray(meshes, np.float64))
        out = formulas.everything(self.constants, scores, face.measures(aligned, rotation), evidence)
        return scores, out

    def __call__(self, mesh, evidence):
        """Everything that can be said of one mesh (478 x 3) and its pixels' evidence, as plain numbers."""
        seen = {k: np.array([v]) for k, v in evidence.items()}
        scores, out = self.batch(np.asarray(mesh, np.float64)[None], seen)
        result = {"blendshapes": {n: float(s) for n, s in zip(self.description["blendshapes"], scores[0])}}
        for group, values in out.items():
            result[group] = {k: float(v[0]) for k, v in values.items()}
        return result


def main():
    model, golden = Model(RESOURCES), json.loads(GOLDEN.read_text())
    worst = {"blendshapes": 0.0, "evidence": 0.0, "others": 0.0}  # scores run 0...1, the others 0...100
    for case in golden["cases"] + golden["neutral"]:
        found = model(case["mesh"], case["evidence"])
        for group, values in case["expected"].items():
            kind = "blendshapes" if group == "blendshapes" else "others"
            worst[kind] = max([worst[kind], *(abs(found[group][n] - v) for n, v in values.items())])
    for case in golden["patterns"]:
        found = model.see(case["crop"])
        worst["evidence"] = max([worst["evidence"], *(abs(found[n] - v) for n, v in case["expected"].items())])
    print(f"{len(golden['cases'])} cases, largest differences {worst}")
    return 0 if all(worst[kind] <= limit for kind, limit in golden["tolerance"].items()) else 1


if __name__ == "__main__":
    sys.exit(main())
