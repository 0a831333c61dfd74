#!/usr/bin/env python3
"""Build faces.mp4, a short clip of real faces, and the truth about where they are.

Two public-domain portraits that ship inside Python packages are cut out, moved by known affine maps over
procedural backgrounds and encoded with the ffmpeg command line. The truth comes from one face ellipse and one
eye line per portrait, measured by hand, carried through the same maps: no detector has a say in it.

    python3 -m venv venv
    venv/bin/pip install --no-deps --require-hashes -r requirements.txt
    venv/bin/python make_sample.py [DIRECTORY]

Versions used: numpy 2.4.6, pillow 13.0.0, scikit-image 0.26.0, matplotlib 3.11.2 (the last two only for the
pictures they carry; neither is imported).
"""

from __future__ import annotations

import csv
import hashlib
import importlib.util
import math
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

WIDTH, HEIGHT, FPS = 640, 360, 25
# Every layer is warped on a grid this much finer and then averaged: sub-pixel motion stays smooth, and shrinking
# a portrait to a third of its size does not alias.
SUPERSAMPLING = 4

Point = tuple[float, float]


@dataclass(frozen=True)
class Portrait:
    """A source picture and what was measured in it, in its own pixels, origin top left."""

    person: str
    package: str
    path: str
    sha256: str
    face_centre: Point
    face_size: Point  # Width (cheek to cheek, without ears) and height (hairline to chin) of the upright ellipse.
    eyes: tuple[Point, Point]  # Pupils, the one further left in the picture first.
    outline: tuple[Point, ...]  # Head and shoulders, clockwise from the bottom left.

    @property
    def tilt(self) -> float:
        """The head's own roll in degrees, > 0 clockwise, from the line through the pupils."""
        (left_x, left_y), (right_x, right_y) = self.eyes
        return math.degrees(math.atan2(right_y - left_y, right_x - left_x))

    def load(self) -> Image.Image:
        """Read the picture from its package, and refuse one that is not the picture that was measured."""
        spec = importlib.util.find_spec(self.package)
        if spec is None or not spec.submodule_search_locations:
            sys.exit(f"make_sample: package {self.package} is not installed (see requirements.txt)")
        file = Path(spec.submodule_search_locations[0]) / self.path
        if hashlib.sha256(file.read_bytes()).hexdigest() != self.sha256:
            sys.exit(f"make_sample: {file} is not the picture that was measured")
        return Image.open(file).convert("RGB")

    def mask(self, size: tuple[int, int]) -> Image.Image:
        """Return the cut-out's opacity: the outline, feathered, and faded where the picture itself ends."""
        mask = Image.new("L", size, 0)
        ImageDraw.Draw(mask).polygon(self.outline, fill=255)
        mask = mask.filter(ImageFilter.GaussianBlur(2))
        x, y = np.meshgrid(np.arange(size[0]), np.arange(size[1]))
        to_edge = np.minimum(np.minimum(x, size[0] - 1 - x), size[1] - 1 - y)
        faded = np.asarray(mask) * np.clip(to_edge / 24, 0, 1)
        return Image.fromarray(faded.astype(np.uint8))


COLLINS = Portrait(
    person="collins",
    package="skimage",
    path="data/astronaut.png",
    sha256="88431cd9653ccd539741b555fb0a46b61558b301d4110412b5bc28b5e3ea6cb5",
    face_centre=(225.0, 125.5),
    face_size=(87.0, 107.0),
    eyes=((203.8, 101.3), (246.8, 103.0)),
    outline=(
        (22, 512), (21, 440), (30, 350), (44, 270), (76, 242), (114, 209), (115, 187), (125, 167), (146, 155),
        (178, 150), (181, 134), (166, 118), (154, 95), (153, 72), (163, 52), (193, 30), (226, 15), (261, 24),
        (287, 46), (299, 75), (299, 100), (283, 127), (269, 139), (260, 172), (284, 192), (302, 226), (306, 240),
        (339, 264), (356, 300), (362, 350), (400, 345), (450, 356), (489, 399), (507, 470), (509, 512),
    ),
)  # fmt: skip
HOPPER = Portrait(
    person="hopper",
    package="matplotlib",
    path="mpl-data/sample_data/grace_hopper.jpg",
    sha256="a8ca6d734765703b09728ab47fe59f473d93ae3967fc24c7c0288c3c7adb7130",
    face_centre=(266.0, 233.5),
    face_size=(172.0, 203.0),
    eyes=((223.0, 189.3), (304.3, 187.3)),
    outline=(
        (12, 600), (20, 500), (33, 420), (46, 398), (64, 386), (120, 362), (150, 350), (178, 338), (192, 325),
        (200, 312), (199, 299), (180, 289), (164, 270), (154, 205), (157, 172), (149, 145), (152, 110), (171, 87),
        (177, 64), (214, 43), (230, 28), (260, 24), (297, 38), (349, 63), (353, 87), (368, 97), (371, 150),
        (376, 190), (370, 232), (361, 280), (345, 303), (331, 318), (370, 348), (440, 372), (490, 391), (504, 430),
        (512, 470), (512, 600),
    ),
)  # fmt: skip


@dataclass(frozen=True)
class Placement:
    """Where a portrait's face goes in one frame: centre and height in pixels, total roll in degrees (> 0 clockwise)."""

    portrait: Portrait
    centre: Point
    face_height: float
    roll: float

    @property
    def scale(self) -> float:
        """Output pixels per source pixel."""
        return self.face_height / self.portrait.face_size[1]

    def inverse(self) -> tuple[float, float, float, float, float, float]:
        """Return the affine map from output coordinates to the portrait's, as Pillow wants it."""
        angle = math.radians(self.roll - self.portrait.tilt)
        cos, sin = math.cos(angle) / self.scale, math.sin(angle) / self.scale
        (x, y), (source_x, source_y) = self.centre, self.portrait.face_centre
        return cos, sin, source_x - cos * x - sin * y, -sin, cos, source_y + sin * x - cos * y

    def box(self) -> tuple[float, float, float, float]:
        """Return x, y, width and height of the upright box around the rolled face ellipse, not cut at the edges."""
        half_width = self.portrait.face_size[0] * self.scale / 2
        half_height = self.face_height / 2
        cos, sin = math.cos(math.radians(self.roll)), math.sin(math.radians(self.roll))
        across = math.hypot(half_width * cos, half_height * sin)
        down = math.hypot(half_width * sin, half_height * cos)
        return self.centre[0] - across, self.centre[1] - down, 2 * across, 2 * down

    def visible(self) -> float:
        """Return the share of the box that lies inside the picture."""
        x, y, width, height = self.box()
        inside_x = max(0.0, min(x + width, WIDTH) - max(x, 0.0))
        inside_y = max(0.0, min(y + height, HEIGHT) - max(y, 0.0))
        return inside_x * inside_y / (width * height)


@dataclass(frozen=True)
class Scene:
    """A shot: what it shows, for how long, and before which background."""

    kind: str
    frames: int
    backdrop: tuple[tuple[int, int, int], tuple[int, int, int]]  # The texture's dark and light colour.
    contrast: float  # 0 is a soft studio backdrop, 1 a rough texture.
    place: Callable[[float], list[Placement]]  # From the share of the scene that has passed, 0 ... 1.


def wave(turns: float, share: float) -> float:
    """Return a sine that starts at 0 and makes `turns` periods over the scene."""
    return math.sin(2 * math.pi * turns * share)


def path(t: float) -> list[Placement]:
    """Move one face along a figure of eight."""
    return [Placement(COLLINS, (320 + 170 * wave(1, t), 165 + 55 * wave(2, t)), 108, COLLINS.tilt)]


def zoom(t: float) -> list[Placement]:
    """Let a face grow from 60 to 200 pixels and shrink again, evenly in ratio."""
    near = (1 - math.cos(2 * math.pi * t)) / 2
    return [Placement(HOPPER, (330, 262 - 66 * near), 60 * (200 / 60) ** near, HOPPER.tilt)]


def roll(t: float) -> list[Placement]:
    """Turn a face in the picture's plane: 0, -40, +40 and back to 0 degrees."""
    return [Placement(COLLINS, (320, 170), 126, -40 * wave(1, t))]


def swap(t: float) -> list[Placement]:
    """Show another person exactly where the scene before ended."""
    return [Placement(HOPPER, (320 + 12 * wave(0.5, t), 170), 126, 0)]


def pair(t: float) -> list[Placement]:
    """Move two faces at once that come near each other without touching."""
    return [
        Placement(COLLINS, (165 + 55 * wave(0.5, t), 150 + 30 * wave(1, t)), 92, COLLINS.tilt + 5 * wave(1, t)),
        Placement(HOPPER, (470 - 55 * wave(0.5, t), 190 - 25 * wave(1, t)), 118, HOPPER.tilt - 5 * wave(1, t)),
    ]


def nobody(t: float) -> list[Placement]:
    """Show the background alone."""
    return []


def passing(t: float) -> list[Placement]:
    """Let a face come in at the left edge and leave at the right one."""
    return [Placement(HOPPER, (-70 + (WIDTH + 140) * t, 175 + 10 * wave(1, t)), 118, HOPPER.tilt)]


GREY = ((176, 168, 166), (216, 210, 206))
BLUE = ((52, 92, 160), (110, 150, 208))
SLATE = ((96, 110, 132), (150, 164, 184))
FOLIAGE = ((34, 52, 28), (150, 168, 96))
SCENES = (
    Scene("path", 75, GREY, 0.1, path),
    Scene("zoom", 88, BLUE, 0.1, zoom),
    Scene("roll", 75, GREY, 0.1, roll),
    Scene("same-place", 50, BLUE, 0.2, swap),
    Scene("two-faces", 75, SLATE, 0.1, pair),
    Scene("no-face", 62, FOLIAGE, 1.0, nobody),
    Scene("pass", 75, BLUE, 0.2, passing),
)


def texture(scene: Scene, seed: int) -> Image.Image:
    """Return a cloudy texture, larger than the picture, so that a window can drift over it."""
    size = (WIDTH + 160, HEIGHT + 120)
    generator = np.random.default_rng(seed)
    total = np.zeros((size[1], size[0]))
    for octave in range(6):
        cell = 160 / 2**octave
        # From soft to rough: how much of its strength each finer octave keeps.
        strength = (0.35 + 0.35 * scene.contrast) ** octave
        grid = generator.random((math.ceil(size[1] / cell) + 1, math.ceil(size[0] / cell) + 1)).astype(np.float32)
        total += strength * np.asarray(Image.fromarray(grid).resize(size, Image.Resampling.BICUBIC))
    total = np.clip((total - total.mean()) / (4 * total.std()) + 0.5, 0, 1)[..., None]
    dark, light = (np.array(colour, dtype=np.float64) for colour in scene.backdrop)
    return Image.fromarray((dark + (light - dark) * total + 0.5).astype(np.uint8))


def background(surface: Image.Image, share: float) -> np.ndarray:
    """Return the window on the texture after `share` of the scene, as float RGB."""
    offset = (1, 0, 20 + 100 * share, 0, 1, 60 + 30 * wave(1, share))
    window = surface.transform((WIDTH, HEIGHT), Image.Transform.AFFINE, offset, Image.Resampling.BICUBIC)
    return np.asarray(window, dtype=np.float32)


def composite(picture: np.ndarray, placement: Placement, source: Image.Image, mask: Image.Image) -> np.ndarray:
    """Lay a portrait over the picture, warped to its placement."""
    a, b, c, d, e, f = placement.inverse()
    fine = (a / SUPERSAMPLING, b / SUPERSAMPLING, c, d / SUPERSAMPLING, e / SUPERSAMPLING, f)
    size = (WIDTH * SUPERSAMPLING, HEIGHT * SUPERSAMPLING)
    colour, opacity = (
        layer.transform(size, Image.Transform.AFFINE, fine, resample).reduce(SUPERSAMPLING)
        for layer, resample in ((source, Image.Resampling.BICUBIC), (mask, Image.Resampling.BILINEAR))
    )
    weight = np.asarray(opacity, dtype=np.float32)[..., None] / 255
    return picture * (1 - weight) + np.asarray(colour, dtype=np.float32) * weight


def frames() -> Iterator[tuple[bytes, list[Placement]]]:
    """Yield every frame as packed RGB, with the faces in it."""
    layers = {}
    for portrait in (COLLINS, HOPPER):
        source = portrait.load()
        layers[portrait.person] = (source, portrait.mask(source.size))
    for seed, scene in enumerate(SCENES):
        surface = texture(scene, seed)
        for index in range(scene.frames):
            share = index / (scene.frames - 1)
            picture = background(surface, share)
            placements = scene.place(share)
            for placement in placements:
                picture = composite(picture, placement, *layers[placement.portrait.person])
            yield (np.clip(picture, 0, 255) + 0.5).astype(np.uint8).tobytes(), placements


def encoder(output: Path) -> list[str]:
    """Return the ffmpeg command that reads raw RGB and writes the clip; one thread, so that it is repeatable."""
    seconds = sum(scene.frames for scene in SCENES) / FPS
    tone = f"sine=frequency=220:sample_rate=44100:duration={seconds},volume=0.05"
    command = "ffmpeg -nostdin -v error -y -f rawvideo -pix_fmt rgb24"
    command += f" -video_size {WIDTH}x{HEIGHT} -framerate {FPS} -i pipe:0 -f lavfi -i {tone}"
    command += " -vf scale=out_color_matrix=bt709:out_range=tv:flags=accurate_rnd,format=yuv420p"
    command += " -c:v libx264 -preset slow -crf 23 -bf 3 -g 75 -threads 1"
    command += " -color_primaries bt709 -color_trc bt709 -colorspace bt709 -color_range tv"
    command += " -c:a aac -b:a 32k -ac 1 -flags +bitexact -fflags +bitexact -movflags +faststart"
    return [*command.split(), str(output)]


def write_scenes(file: Path) -> None:
    """Write start and end (exclusive) of every scene in seconds; each start after the first is a hard cut."""
    with file.open("w", newline="") as handle:
        rows = csv.writer(handle, lineterminator="\n")
        rows.writerow(["start", "end", "kind"])
        first = 0
        for scene in SCENES:
            rows.writerow([f"{first / FPS:.2f}", f"{(first + scene.frames) / FPS:.2f}", scene.kind])
            first += scene.frames


def main() -> None:
    """Write the clip, its truth and its scenes into the given directory, or beside this script."""
    directory = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
    write_scenes(directory / "faces.scenes.csv")
    with (directory / "faces.truth.csv").open("w", newline="") as handle:
        rows = csv.writer(handle, lineterminator="\n")
        rows.writerow(["frame", "time", "person", "x", "y", "width", "height", "roll", "visible"])
        with subprocess.Popen(encoder(directory / "faces.mp4"), stdin=subprocess.PIPE) as ffmpeg:
            assert ffmpeg.stdin is not None
            for index, (pixels, placements) in enumerate(frames()):
                ffmpeg.stdin.write(pixels)
                for placement in placements:
                    if placement.visible() <= 0:
                        continue
                    numbers = [f"{value:.2f}" for value in (*placement.box(), placement.roll)]
                    time = f"{index / FPS:.2f}"
                    rows.writerow([index, time, placement.portrait.person, *numbers, f"{placement.visible():.4f}"])
    if ffmpeg.returncode != 0:
        sys.exit(f"make_sample: ffmpeg ended with status {ffmpeg.returncode}")


if __name__ == "__main__":
    main()
