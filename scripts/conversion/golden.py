"""What OpenVINO finds in pictures of the sample, as a reference for vidscan's own computation of the two networks.

    python golden.py samples/faces.mp4 attention_mesh.xml .deps/models/centerface.onnx Tests/VidscanInferenceTests

scripts/mesh/openvino_model.cpp makes the model of the mesh. Needs numpy and openvino.
"""

import json
import subprocess
import sys

import numpy as np
import openvino

# Seconds into the sample, and the square that is cut: a face, the same face turned, a larger one, none.
CROPS = [
    (0, "crop=180:180:230:75,scale=192:192"),
    (0, "crop=180:180:230:75,scale=192:192,rotate=0.4"),
    (0, "crop=150:150:245:90,scale=192:192"),
    (15.5, "crop=180:180:230:75,scale=192:192"),
]
# One face, two faces, none; a reduced and a portrait picture, and one whose width is no multiple of the vectors.
PICTURES = [
    (0, "scale=448:252:flags=area,pad=448:256", 448, 256),
    (13, "scale=448:252:flags=area,pad=448:256", 448, 256),
    (15.5, "scale=448:252:flags=area,pad=448:256", 448, 256),
    (13, "scale=224:128:flags=area", 224, 128),
    (0, "crop=180:320:230:20,scale=288:512", 288, 512),
    (0, "crop=200:140:220:100,scale=96:64:flags=area", 96, 64),
]
MINIMUM = 0.3


def tensor(clip, seconds, filters, width, height):
    command = ["ffmpeg", "-nostdin", "-v", "error", "-ss", str(seconds), "-i", clip, "-frames:v", "1", "-vf", filters]
    raw = subprocess.run([*command, "-f", "rawvideo", "-pix_fmt", "rgb24", "-"], check=True, capture_output=True).stdout
    return np.frombuffer(raw, np.uint8).reshape(height, width, 3).transpose(2, 0, 1)[None].astype(np.float32)


def compiled(core, path, shape=None):
    model = core.read_model(path)
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


def detections(core, clip, path):
    """For each cell above the minimum, highest score first: the score, the box (x, y, width, height) and five points (x, y)."""
    for seconds, filters, width, height in PICTURES:
        model = compiled(core, path, [1, 3, height, width])
        heat, scale, offset, points = (v[0].astype(np.float64) for v in model([tensor(clip, seconds, filters, width, height)]).values())
        faces = []
        for row, column in zip(*np.nonzero(heat[0] >= MINIMUM)):
            h, w = 4 * np.exp(scale[:, row, column])
            y, x = 4 * (np.array([row, column]) + offset[:, row, column] + 0.5) - np.array([h, w]) / 2
            marks = points[:, row, column].reshape(5, 2)
            values = [heat[0, row, column], x, y, w, h] + [v for py, px in marks for v in (x + px * w, y + py * h)]
            faces.append([round(float(v), 4) for v in values])
        faces.sort(reverse=True)
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
