"""The pictures of FER+, what ten people saw in each, and vidscan's own mesh of the face.

    python votes.py ferplus.zip vidscan votes.npz

Shows each picture to the vidscan program, four times as large and with a margin, as a frame of a video, and writes
what train.py reads: pixels (N x 48 x 48), votes (N x 8), spoilt (votes for "unknown" and "not a face"), valid (the
pictures that nothing is fitted on), mesh (N x 478 x 3 in pixels of the picture, NaN without a face) and smile (0...100,
as the points tell).
"""

import csv
import io
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import numpy as np
from PIL import Image

NAMES = ["neutral", "happiness", "surprise", "sadness", "anger", "disgust", "fear", "contempt"]
SIDE, SCALE, MARGIN = 48, 4, 48
LEFT, RIGHT = 33, 263


def read(path):
    with zipfile.ZipFile(path) as archive:
        rows = list(csv.DictReader(io.TextIOWrapper(archive.open("votes.csv"))))
        pixels = np.zeros((len(rows), SIDE, SIDE), np.uint8)
        for k, row in enumerate(rows):
            pixels[k] = np.asarray(Image.open(io.BytesIO(archive.read(row["picture"]))).convert("L"))
    return {
        "pixels": pixels,
        "votes": np.array([[int(row[n]) for n in NAMES] for row in rows]),
        "spoilt": np.array([int(row["unknown"]) + int(row["not_a_face"]) for row in rows]),
        "valid": np.array([row["split"] == "valid" for row in rows]),
    }


def meshes(pixels, program, folder):
    video, side = folder / "faces.mkv", SIDE * SCALE + 2 * MARGIN
    command = f"ffmpeg -v error -f rawvideo -pix_fmt gray -s {side}x{side} -r 25 -i - -c:v ffv1 -g 1 {video}"
    with subprocess.Popen(command.split(), stdin=subprocess.PIPE) as encoder:
        for picture in pixels:
            large = np.asarray(Image.fromarray(picture).resize((SIDE * SCALE, SIDE * SCALE), Image.BICUBIC))
            encoder.stdin.write(np.pad(large, MARGIN, mode="edge").tobytes())
    options = "--every-frame --stride 1 --no-person --no-smoothing --baseline none --min-track 1 --landmarks"
    options += " --accuracy low --min-confidence 0.3 --metrics smile"
    subprocess.run([program, "analyze", video, "-o", folder, *options.split()], check=True)
    return found(len(pixels), Path(f"{video}.vidscan"))


def found(count, result):
    """The mesh and the smile, 0...100, of the largest face of each frame."""
    points = np.load(result / "landmarks.npy")
    mesh, smile, size = np.full((count, 478, 3), np.nan, np.float32), np.zeros(count), np.zeros(count)
    with open(result / "faces.csv") as file:
        for points_of_face, row in zip(points, csv.DictReader(file)):
            frame, height = int(row["frame"]), float(row["height"])
            if height > size[frame] and np.isfinite(points_of_face).all():
                size[frame] = height
                mesh[frame] = (points_of_face - [MARGIN, MARGIN, 0]) / SCALE
                smile[frame] = float(row["smile"] or 0)
    return {"mesh": mesh, "smile": smile}


class Votes:
    """What votes.npz says, as distributions; a single vote for an emotion is dropped."""

    def __init__(self, path):
        d = np.load(path)
        self.pixels, self.valid, self.mesh = d["pixels"], d["valid"], d["mesh"].astype(np.float64)
        # One training picture in ten is kept from the network, for the weights that join its evidence and the mesh.
        self.joining = ~self.valid & (np.arange(len(self.valid)) % 10 == 7)
        votes = np.where(d["votes"] < 2, 0, d["votes"]).astype(float)
        self.usable = (votes.sum(1) > 0) & (d["spoilt"] <= 4)
        self.target = votes / np.maximum(votes.sum(1, keepdims=True), 1)
        # The mouth is drawn as in a smile, but people see none: the face cries, winces or shouts.
        self.grimace = (d["smile"] > 30) & (self.target[:, 1] < 0.3)
        # The emotion that most people named, if at least five did.
        self.majority = np.where((votes.max(1) >= 5) & (votes.max(1) > votes.sum(1) / 2), votes.argmax(1), -1)
        self.has_mesh = np.isfinite(self.mesh[:, 0, 0])
        crops = self.crops()
        # Pictures without a mesh are framed as most of the others are.
        self.unaligned = np.median(crops[self.has_mesh], 0)
        self.unaligned[0, 1] = self.unaligned[1, 0] = 0
        self.aligned = np.where(self.has_mesh[:, None, None], crops, self.unaligned)

    def seen(self, rows):
        """The crops of `rows` as vidscan cuts them, N x 48 x 48."""
        out = np.zeros((len(rows), SIDE, SIDE))
        place = (np.arange(SIDE) + 0.5) / SIDE * 2 - 1
        grid = np.array([[across, down, 1] for down in place for across in place])
        for k, row in enumerate(rows):
            x = np.clip((grid @ self.aligned[row].T + 1) * SIDE / 2 - 0.5, 0, SIDE - 1)
            whole = np.minimum(x.astype(int), SIDE - 2)
            (a, b), (left, top) = (x - whole).T, whole.T
            p = self.pixels[row].astype(float)
            above = (1 - a) * p[top, left] + a * p[top, left + 1]
            below = (1 - a) * p[top + 1, left] + a * p[top + 1, left + 1]
            out[k] = ((1 - b) * above + b * below).reshape(SIDE, SIDE)
        return out

    def crops(self):
        """Affine maps from the crop to the picture, both -1...1: the eyes' outer corners where vidscan puts them."""
        right, left = self.mesh[:, LEFT, :2], self.mesh[:, RIGHT, :2]
        across = left - right
        down = np.stack([-across[:, 1], across[:, 0]], 1)
        centre = (left + right) / 2 + (0.5 - 50 / 128) * 2 * down
        # The square is twice as wide as the eyes are apart.
        return np.stack([across, down, centre - SIDE / 2], 2) / (SIDE / 2)


def main():
    data = read(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        data |= meshes(data["pixels"], sys.argv[2], Path(folder))
    np.savez_compressed(sys.argv[3], **data)
    print(f"{np.isfinite(data['mesh'][:, 0, 0]).sum()} faces in {len(data['mesh'])} pictures")


if __name__ == "__main__":
    main()
