"""Portraits with and without a mask, and of many groups of people: vidscan's own mesh and the aligned crop of each.

    python portraits.py masks.zip fairface.zip vidscan portraits.npz

Shows each picture to the vidscan program as a frame of a video, 480 pixels wide, and writes what train.py reads: name,
crop (N x 64 x 64, aligned as the crops of faces.zip), yaw in degrees, and covered (1: a mask, 0: none, as the folder of
masks.zip says; 0 for FairFace). Pictures without a mesh are left out.
"""

import csv
import io
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import numpy as np
from PIL import Image, ImageOps

from votes import LEFT, RIGHT

SIDE, CROP, FINER = 480, 64, 3


def pictures(path):
    """The name and the pixels of each picture, 480 x 480; a smaller or narrower one is continued by its edge."""
    with zipfile.ZipFile(path) as archive:
        for name in sorted(archive.namelist()):
            if not name.lower().endswith((".jpg", ".jpeg", ".png")):
                continue
            image = ImageOps.exif_transpose(Image.open(io.BytesIO(archive.read(name)))).convert("RGB")
            scale = min(1, SIDE / max(image.size))
            size = (max(1, round(image.width * scale)), max(1, round(image.height * scale)))
            pixels = np.asarray(image.resize(size, Image.BOX))
            yield name, np.pad(pixels, ((0, SIDE - size[1]), (0, SIDE - size[0]), (0, 0)), mode="edge")


def aligned(pixels, mesh):
    """The crop of a face: the outer corners of the eyes 32 pixels apart, 25 pixels below its upper edge."""
    across = mesh[RIGHT, :2] - mesh[LEFT, :2]
    down = np.array([-across[1], across[0]])
    corner = (mesh[LEFT, :2] + mesh[RIGHT, :2]) / 2 + (0.5 - 50 / 128) * 2 * down - across - down
    margin, side = SIDE, CROP * FINER
    step = 2 * np.stack([across, down], 1) / side
    gray = Image.fromarray(np.pad(np.asarray(Image.fromarray(pixels).convert("L")), margin, mode="edge"))
    map = (*step[0], corner[0] + margin, *step[1], corner[1] + margin)
    return np.asarray(gray.transform((side, side), Image.AFFINE, map, Image.BILINEAR).resize((CROP, CROP), Image.BOX))


def crops(path, program, folder):
    """Name, crop and yaw of each picture with a mesh."""
    video = folder / "faces.mkv"
    shown = list(pictures(path))
    command = f"ffmpeg -v error -f rawvideo -pix_fmt rgb24 -s {SIDE}x{SIDE} -r 25 -i - -c:v ffv1 -g 1 -pix_fmt bgr0 {video}"
    with subprocess.Popen(command.split(), stdin=subprocess.PIPE) as encoder:
        for _, pixels in shown:
            encoder.stdin.write(pixels.tobytes())
    options = "--every-frame --stride 1 --no-person --no-smoothing --baseline none --min-track 1 --landmarks --metrics smile"
    subprocess.run([program, "analyze", video, "-o", folder, *options.split()], check=True)
    result = Path(f"{video}.vidscan")
    largest = {}
    with open(result / "faces.csv") as file:
        for mesh, row in zip(np.load(result / "landmarks.npy"), csv.DictReader(file)):
            frame, height = int(row["frame"]), float(row["height"])
            if np.isfinite(mesh).all() and height > largest.get(frame, (0,))[0]:
                largest[frame] = (height, mesh, float(row["yaw"]))
    return [(shown[k][0], aligned(shown[k][1], mesh), yaw) for k, (_, mesh, yaw) in sorted(largest.items())]


def main():
    found = []
    for path in sys.argv[1:3]:
        with tempfile.TemporaryDirectory() as folder:
            found += crops(path, sys.argv[3], Path(folder))
    names = np.array([name for name, _, _ in found])
    covered = np.array([name.startswith("with_mask/") for name in names])
    np.savez_compressed(
        sys.argv[4], name=names, crop=np.array([crop for _, crop, _ in found]), yaw=np.array([yaw for *_, yaw in found]),
        covered=covered)
    print(f"{len(names)} faces, {covered.sum()} with a mask")


if __name__ == "__main__":
    main()
