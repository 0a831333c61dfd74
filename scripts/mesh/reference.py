"""A simple second implementation of picture to mesh, as a reference for vidscan's.

    python reference.py samples/faces.mp4 samples/faces.truth.csv attention_mesh.xml GOLDEN.json

The ffmpeg command line gives whole frames as RGB, numpy crops them with plain bilinear interpolation around the true boxes of
the sample, and OpenVINO's Python API runs the model that scripts/mesh/openvino_model.cpp makes. Only the weights are shared
with vidscan. Pictures are also rotated by 90 and 180 degrees. Needs numpy and openvino.
"""

import csv
import json
import subprocess
import sys

import numpy as np
import openvino

WIDTH, HEIGHT = 640, 360
FRAMES = [0, 60, 100, 140, 175, 225, 260, 300, 330, 450]
TURNS = {0: "null", 90: "transpose=1", 180: "hflip,vflip"}
PASSES = 4


def frames(video, turn):
    """The chosen frames, upright or turned clockwise, as height x width x 3."""
    choice = "+".join(f"eq(n,{n})" for n in FRAMES)
    filters = f"select='{choice}',{TURNS[turn]},scale=sws_flags=accurate_rnd+full_chroma_int"
    width, height = (HEIGHT, WIDTH) if turn == 90 else (WIDTH, HEIGHT)
    command = ["ffmpeg", "-v", "error", "-i", video, "-vf", filters, "-vsync", "passthrough"]
    raw = subprocess.run([*command, "-f", "rawvideo", "-pix_fmt", "rgb24", "-"], check=True, capture_output=True).stdout
    return np.frombuffer(raw, np.uint8).reshape(-1, height, width, 3).astype(np.float64)


def crop(picture, centre, side, angle):
    """192 x 192 pixels of a rotated square, bilinear, with repeated borders."""
    grid = (np.arange(192) + 0.5 - 96) * side / 192
    u, v = np.meshgrid(grid, grid)
    x = centre[0] + np.cos(angle) * u - np.sin(angle) * v - 0.5
    y = centre[1] + np.sin(angle) * u + np.cos(angle) * v - 0.5
    x, y = np.clip(x, 0, picture.shape[1] - 1), np.clip(y, 0, picture.shape[0] - 1)
    x0, y0 = np.minimum(x.astype(int), picture.shape[1] - 2), np.minimum(y.astype(int), picture.shape[0] - 2)
    fx, fy = (x - x0)[..., None], (y - y0)[..., None]
    top = picture[y0, x0] * (1 - fx) + picture[y0, x0 + 1] * fx
    bottom = picture[y0 + 1, x0] * (1 - fx) + picture[y0 + 1, x0 + 1] * fx
    return (top * (1 - fy) + bottom * fy).transpose(2, 0, 1)[None].astype(np.float32)


def mesh(model, picture, centre, side, angle):
    for _ in range(PASSES):
        found = model([crop(picture, centre, side, angle)])
        points = found["landmarks"][0].astype(np.float64)
        u, v = ((points[:, i] - 96) * side / 192 for i in (0, 1))
        placed = np.stack(
            [centre[0] + np.cos(angle) * u - np.sin(angle) * v, centre[1] + np.sin(angle) * u + np.cos(angle) * v], 1
        )
        # The next square: 1.5 times the size of the points, with level eyes.
        angle = np.arctan2(*(placed[263] - placed[33])[::-1])
        turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
        level = placed[:468] @ turn.T
        low, high = level.min(0), level.max(0)
        centre, side = (low + high) / 2 @ turn, 1.5 * (high - low).max()
    return placed


def turned(x, y, turn):
    """The position in the rotated picture of a point of the upright one."""
    return {0: (x, y), 90: (HEIGHT - y, x), 180: (WIDTH - x, HEIGHT - y)}[turn]


def main(video, truth, path, output):
    core = openvino.Core()
    model = core.compile_model(path, "CPU", {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1})
    rows = [r for r in csv.DictReader(open(truth)) if int(r["frame"]) in FRAMES and float(r["visible"]) > 0.9]
    cases = []
    for turn in TURNS:
        pictures = frames(video, turn)
        for row in rows:
            x, y, w, h = (float(row[k]) for k in ("x", "y", "width", "height"))
            centre = np.array(turned(x + w / 2, y + h / 2, turn))
            angle = np.radians(float(row["roll"]) + turn)
            points = mesh(model, pictures[FRAMES.index(int(row["frame"]))], centre, 1.6 * h, angle)
            cases.append({"frame": int(row["frame"]), "turn": turn, "points": points.round(2).tolist()})
    with open(output, "w") as file:
        json.dump({"cases": cases}, file, separators=(",", ":"))
        file.write("\n")
    print(f"{len(cases)} meshes")


if __name__ == "__main__":
    main(*sys.argv[1:])
