"""What OpenVINO finds in pictures of the sample, as a reference for vidscan's own computation of the two networks.

    python golden.py samples/faces.mp4 attention_mesh.xml .deps/models/centerface.onnx Tests/VidscanInferenceTests

The score for covered faces is computed from the weights in scripts/detector/covered_faces.json.
scripts/mesh/openvino_model.cpp makes the model of the mesh. Needs numpy and openvino.
"""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import openvino

# Seconds into the sample, and the square that is cut: a face, the same face turned, a larger one, none.
CROPS = [
    (0, "crop=180:180:230:75,scale=192:192"),
    (0, "crop=180:180:230:75,scale=192:192,rotate=0.4"),
    (0, "crop=150:150:245:90,scale=192:192"),
    (15.5, "crop=180:180:230:75,scale=192:192"),
]
# One face, two faces, none; a reduced and a portrait picture, one whose width is no multiple of the vectors, and one whose face
# wears a mask.
PICTURES = [
    (0, "scale=448:252:flags=area,pad=448:256", 448, 256),
    (13, "scale=448:252:flags=area,pad=448:256", 448, 256),
    (15.5, "scale=448:252:flags=area,pad=448:256", 448, 256),
    (13, "scale=224:128:flags=area", 224, 128),
    (0, "crop=180:320:230:20,scale=288:512", 288, 512),
    (0, "crop=200:140:220:100,scale=96:64:flags=area", 96, 64),
    (0, "crop=200:200:220:60,scale=288:288,drawbox=70:135:140:110:0xb06020:fill", 288, 288),
]
MINIMUM = 0.3
# The output with the features of each cell. Their second score counts from 0.5 on, and 0.7 at most, in upright boxes with detail.
FEATURES = "535"
COVERED, COVERED_AT_MOST, DETAIL = 0.5, 0.7, 0.45


def tensor(clip, seconds, filters, width, height):
    command = ["ffmpeg", "-nostdin", "-v", "error", "-ss", str(seconds), "-i", clip, "-frames:v", "1", "-vf", filters]
    raw = subprocess.run([*command, "-f", "rawvideo", "-pix_fmt", "rgb24", "-"], check=True, capture_output=True).stdout
    return np.frombuffer(raw, np.uint8).reshape(height, width, 3).transpose(2, 0, 1)[None].astype(np.float32)


def compiled(core, path, shape=None, output=None):
    model = core.read_model(path)
    if output:
        model.add_outputs(output)
    if shape:
        model.reshape(shape)
    return core.compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1})


def meshes(core, clip, path):
    model = compiled(core, path)
    for seconds, filters in CROPS:
        found = model([tensor(clip, seconds, filters, 192, 192)])
        points = found["landmarks"][0].astype(np.float64).round(4).tolist()
        presence = round(float(found["presence"].squeeze()), 6)
        yield {"seconds": seconds, "filter": filters, "presence": presence, "points": points}


def detail(green, x, y, w, h):
    """The mean second difference over a 24th of the width, per standard deviation, in the box's middle."""
    rows, columns = green.shape
    left, right = np.clip([x + w / 5, x + w * 4 / 5], 0, columns)
    top, bottom = np.clip([y + h / 5, y + h * 4 / 5], 0, rows)
    step = max(1, round((right - left) / 14.4))
    left, top = max(step, int(left)), max(step, int(top))
    right, bottom = min(columns - step, int(right)), min(rows - step, int(bottom))
    if left >= right or top >= bottom:
        return 0
    middle = green[top:bottom, left:right]
    moved = [green[top + dy : bottom + dy, left + dx : right + dx] for dy, dx in ((0, -step), (0, step), (-step, 0), (step, 0))]
    differences = abs(2 * middle - moved[0] - moved[1]) + abs(2 * middle - moved[2] - moved[3])
    return differences.mean() / max(middle.std(), 1e-9)


def detections(core, clip, path):
    """For each cell above the minimum, highest score first: the score, the box (x, y, width, height) and five points (x, y)."""
    with open(Path(__file__).parent.parent / "detector/covered_faces.json") as file:
        second = json.load(file)
    for seconds, filters, width, height in PICTURES:
        model = compiled(core, path, [1, 3, height, width], FEATURES)
        pixels = tensor(clip, seconds, filters, width, height)
        found = model([pixels]).values()
        own, scale, offset, points, features = (v[0].astype(np.float64) for v in found)
        covered = 1 / (1 + np.exp(-np.tensordot(second["weights"], features, 1) - second["bias"]))
        faces = []
        for row, column in zip(*np.nonzero(np.maximum(own[0], covered) >= MINIMUM)):
            h, w = 4 * np.exp(scale[:, row, column])
            y, x = 4 * (np.array([row, column]) + offset[:, row, column] + 0.5) - np.array([h, w]) / 2
            score, other = own[0, row, column], covered[row, column]
            if other >= max(COVERED, score) and h >= w and detail(pixels[0, 1].astype(np.float64), x, y, w, h) >= DETAIL:
                score = max(score, min(other, COVERED_AT_MOST))
            if score >= MINIMUM:
                marks = points[:, row, column].reshape(5, 2)
                values = [score, x, y, w, h] + [v for py, px in marks for v in (x + px * w, y + py * h)]
                faces.append((-score, -own[0, row, column], [round(float(v), 4) for v in values]))
        faces = [values for *_, values in sorted(faces)]
        yield {"seconds": seconds, "filter": filters, "width": width, "height": height, "faces": faces}


def write(path, cases):
    with open(path, "w") as file:
        json.dump({"cases": cases}, file, separators=(",", ":"))
        file.write("\n")
    print(f"{path}: {len(cases)} cases")


def main(clip, mesh, detector, folder):
    core = openvino.Core()
    write(folder + "/mesh.golden.json", list(meshes(core, clip, mesh)))
    write(folder + "/detector.golden.json", list(detections(core, clip, detector)))


if __name__ == "__main__":
    main(*sys.argv[1:])
