"""Writes the expected values of two tests of the face embedding, with NumPy and OpenVINO's own interface for Python.

    python reference.py CHECKOUT

Run it in a virtual environment with requirements.txt.

CHECKOUT/Tests/VidscanInferenceTests/embedding.golden.json   embeddings of five squares of the sample clip
CHECKOUT/Tests/VidscanFacesTests/crop.golden.json            the crops around the faces of expressions.golden.json
"""

import json
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import openvino

WIDTH, HEIGHT, SIDE = 640, 360, 128
MODEL = "models/face-reidentification-retail-0095.xml"
# Frame and top left corner: two people, each twice, and a background.
SQUARES = [(0, 256, 101), (336, 150, 62), (75, 266, 198), (458, 214, 114), (0, 0, 232)]
# From the description of the network in the Open Model Zoo, with the points of the mesh that they are taken from.
LANDMARKS = {
    (33, 133): (0.31556875, 0.46157411),
    (362, 263): (0.68262292, 0.46157411),
    (1,): (0.50026250, 0.64050536),
    (61,): (0.34947188, 0.82469196),
    (291,): (0.65343646, 0.82469196),
}


def frame(video, number):
    """A frame as RGB. Converted in integers, so that a test can do the same and no version of ffmpeg matters."""
    command = ["ffmpeg", "-v", "error", "-i", video, "-vf", f"select='eq(n,{number})'", "-frames:v", "1"]
    command += ["-f", "rawvideo", "-pix_fmt", "yuv420p", "-"]
    raw = np.frombuffer(subprocess.run(command, check=True, capture_output=True).stdout, np.uint8).astype(int)
    area = WIDTH * HEIGHT
    luma = raw[:area].reshape(HEIGHT, WIDTH)
    u, v = (plane.repeat(2, 0).repeat(2, 1) - 128 for plane in raw[area:].reshape(2, HEIGHT // 2, WIDTH // 2))
    rgb = [luma + (359 * v >> 8), luma - (88 * u + 183 * v >> 8), luma + (454 * u >> 8)]
    return np.stack(rgb, 2).clip(0, 255).astype(np.uint8)


def unit(vector):
    return vector / np.linalg.norm(vector)


def crop(mesh):
    """Centre, side and angle of the square in which the mesh lies like the landmarks in the unit square (Umeyama 1991)."""
    source = np.array(list(LANDMARKS.values()))
    target = np.array([np.mean([mesh[index][:2] for index in indices], 0) for indices in LANDMARKS])
    a, b = source - source.mean(0), target - target.mean(0)
    left, values, right = np.linalg.svd(b.T @ a / len(a))
    signs = np.diag([1, np.sign(np.linalg.det(left) * np.linalg.det(right))])
    rotation = left @ signs @ right
    scale = np.trace(np.diag(values) @ signs) / a.var(0).sum()
    x, y = target.mean(0) + scale * rotation @ (0.5 - source.mean(0))
    return {"x": x, "y": y, "side": scale, "angle": math.atan2(rotation[1, 0], rotation[0, 0])}


def write(path, value):
    with open(path, "w") as file:
        json.dump(value, file, separators=(",", ":"))
        file.write("\n")


def main(checkout):
    checkout = Path(checkout)
    model = openvino.Core().compile_model(str(checkout / MODEL), "CPU", {"INFERENCE_PRECISION_HINT": "f32"})

    def embed(picture):
        return unit(model([picture[:, :, ::-1].transpose(2, 0, 1)[None].astype(np.float32)])[0].ravel().astype(float))

    cases = []
    for number, x, y in SQUARES:
        picture = frame(checkout / "samples/faces.mp4", number)[y:, x:][:SIDE, :SIDE]
        upright, mirrored = embed(picture), embed(picture[:, ::-1])
        numbers = {"embedding": unit(upright + mirrored).round(8).tolist(), "mirror_distance": 1 - upright @ mirrored}
        cases.append({"frame": number, "x": x, "y": y, "sum": int(picture.sum()), **numbers})
    write(checkout / "Tests/VidscanInferenceTests/embedding.golden.json", {"cases": cases})
    meshes = json.load(open(checkout / "Tests/VidscanFacesTests/expressions.golden.json"))["cases"]
    write(checkout / "Tests/VidscanFacesTests/crop.golden.json", {"crops": [crop(case["mesh"]) for case in meshes]})
    print(f"{len(cases)} embeddings, {len(meshes)} crops")


if __name__ == "__main__":
    main(*sys.argv[1:])
