#!/usr/bin/env python3
"""Uses a report with its video in a browser as people would, and checks what it shows.

usage: check_review.py [--seeks N] [--pictures FOLDER] VIDSCAN

For the sample clip, and a rotated, an anamorphic and a variable-frame-rate variant of it, at three window sizes: goes to N
random samples (50), and checks that the picture is that very frame, as ffmpeg decodes it, that it lies where it should to
less than a pixel, and that the box drawn on it lies within 3 pixels of the place that faces.csv gives. Then: every key, each
correction by clicks, names that try to do harm, 180,000 rows at 50 frames per second, no request, no message of the browser.

Needs chromedriver (Debian's chromium-driver), ffmpeg, and numpy (samples/notebook-requirements.txt).
"""

import argparse
import csv
import json
import random
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import numpy

from browser import Browser, expect

ROOT = Path(__file__).resolve().parent.parent
SIZES = [(1440, 1000), (900, 1100), (400, 800)]
READY = "document.body.dataset.ready === 'true' && (!document.getElementById('video') || document.getElementById('video').readyState >= 2)"
LEFT, RIGHT, HOME, END, SHIFT = "\ue012", "\ue014", "\ue011", "\ue010", "\ue008"


def vidscan(program, *arguments):
    subprocess.run([program, *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)


def rows(result, table="faces.csv"):
    with open(Path(result) / table, newline="") as file:
        return list(csv.DictReader(file))


def gray(source, size=None, data=None):
    """Decodes all pictures of a file, or of a PNG in memory, to gray."""
    scale = ["-vf", f"scale={size[0]}:{size[1]}:flags=bilinear,format=gray"] if size else ["-vf", "format=gray"]
    if data is None:
        shape = subprocess.run(
            ["ffmpeg", "-v", "error", "-i", source, "-vsync", "passthrough", *scale, "-f", "rawvideo", "-"],
            check=True, capture_output=True).stdout
        return numpy.frombuffer(shape, numpy.uint8).reshape(-1, size[1], size[0])
    raw = subprocess.run(
        ["ffmpeg", "-v", "error", "-f", "png_pipe", "-i", "-", *scale, "-f", "rawvideo", "-"], input=data, check=True,
        capture_output=True).stdout
    width, height = (int.from_bytes(data[at:at + 4], "big") for at in (16, 20))
    return numpy.frombuffer(raw, numpy.uint8).reshape(height, width)


def shown_time(browser):
    """The time of the picture, when no seek is under way."""
    for _ in range(100):
        time.sleep(0.03)
        if browser.run("const v = document.getElementById('video'); return !v.seeking && v.readyState >= 2"):
            break
    time.sleep(0.06)
    minutes = browser.run("return document.getElementById('time').textContent").split(":")
    return sum(float(part) * 60 ** power for power, part in enumerate(reversed(minutes)))


# The extent of what is drawn on the overlay, in CSS pixels of the picture.
BOUNDS = """
const canvas = document.getElementById('overlay'), density = canvas.width / canvas.clientWidth;
const { data, width, height } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
let [left, top, right, bottom] = [width, height, -1, -1];
for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) if (data[4 * (y * width + x) + 3] > 127) {
  left = Math.min(left, x); right = Math.max(right, x); top = Math.min(top, y); bottom = Math.max(bottom, y);
}
return right < 0 ? null : [left, top, right + 1, bottom + 1].map(value => value / density);
"""
PLACE = "const b = document.getElementById('picture').getBoundingClientRect(); return [b.x, b.y, b.width, b.height]"


def only_layers(browser, *wanted):
    browser.run(
        "for (const box of document.querySelectorAll('#layers input')) "
        "if (box.checked !== arguments[0].includes(box.dataset.layer)) box.click()", list(wanted))


def check_frames(program, work, name, video, seeks):
    """Goes to random samples, and compares the picture and the boxes."""
    result = work / f"{name}.out" / f"{video.name}.vidscan"
    vidscan(program, "analyze", "--quiet", "--every-frame", "--output", result.parent, video)
    vidscan(program, "report", "--quiet", result)
    record = json.loads((result / "run.json").read_text())["video"]
    upright = (record["display_width"], record["display_height"])
    times = [float(row["time"]) for row in rows(result, "frames.csv")]
    faces = {}
    for row in rows(result):
        faces.setdefault(float(row["time"]), []).append([float(row[key]) for key in ("x", "y", "width", "height")])
    chance = random.Random(name)
    for width, height in SIZES:
        browser = Browser(width, height, False)
        try:
            browser.open(result / "report.html", READY)
            x, y, w, h = browser.run(PLACE)
            scale = min(w / upright[0], h / upright[1])
            size = (round(upright[0] * scale), round(upright[1] * scale))
            decoded = gray(video, size)
            expect(len(decoded) == len(times), f"{name} at {width}: ffmpeg decodes as many frames as were analysed")
            worst = {"box": 0.0, "place": 0, "wrong": 0}
            for _ in range(seeks):
                index = chance.randrange(len(times))
                only_layers(browser)
                browser.run("window.vidscanReview.seek(arguments[0])", times[index])
                at = shown_time(browser)
                if abs(at - times[index]) > 0.0006:
                    worst["wrong"] += 1
                    continue
                image = gray(None, data=browser.picture()).astype(int)
                left, top = x + (w - size[0]) / 2, y + (h - size[1]) / 2
                errors = {}
                for near in range(max(0, index - 2), min(len(times), index + 3)):
                    for dx in (-2, -1, 0, 1, 2):
                        for dy in (-2, -1, 0, 1, 2):
                            if near != index and (dx or dy):
                                continue
                            a, b = round(left) + dx, round(top) + dy
                            inner = image[max(0, b) + 8:min(b + size[1] - 8, image.shape[0]), a + 8:a + size[0] - 8]
                            own = decoded[near][max(0, -b) + 8:, 8:size[0] - 8][:inner.shape[0]]
                            errors[near, dx, dy] = abs(inner - own.astype(int)).mean()
                best = min(errors, key=errors.get)
                # Neighbouring frames may be the same picture.
                worst["wrong"] += errors[best] < errors[index, 0, 0] - 0.02 and best[0] != index
                worst["place"] = max(worst["place"], abs(best[1]) if best[0] == index else 0, abs(best[2]) if best[0] == index else 0)
                only_layers(browser, "boxes")
                drawn, boxes = browser.run(BOUNDS), faces.get(times[index], [])
                if not boxes:
                    worst["box"] = max(worst["box"], 99 if drawn else 0)
                    continue
                if not drawn:
                    worst["box"] = 99
                    continue
                expected = [
                    min(box[0] for box in boxes), min(box[1] for box in boxes),
                    max(box[0] + box[2] for box in boxes), max(box[1] + box[3] for box in boxes)]
                offset = [(w - upright[0] * scale) / 2, (h - upright[1] * scale) / 2]
                limits = [w, h]
                for side, (have, want) in enumerate(zip(drawn, expected)):
                    # Half of the line lies outside of the box; beyond the picture, nothing is drawn.
                    have += 2 if side < 2 else -2
                    want = offset[side % 2] + want * scale
                    if 2 < want < limits[side % 2] - 2:
                        worst["box"] = max(worst["box"], abs(have - want))
            expect(
                worst["wrong"] == 0 and worst["place"] <= 1 and worst["box"] <= 2,
                f"{name} at {width}x{height}: {seeks} samples show their frame (off by {worst['place']} px at most) and their"
                f" boxes (off by {worst['box']:.1f} px at most; {worst['wrong']} wrong)")
            expect(not browser.complaints(), f"{name} at {width}: the browser complains of nothing")
        finally:
            browser.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vidscan", type=lambda path: str(Path(path).resolve()))
    parser.add_argument("--seeks", type=int, default=50)
    parser.add_argument("--pictures", type=Path)
    parser.add_argument("--only", nargs="*", default=["frames", "keys", "corrections", "names", "speed", "files"])
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        shutil.copy(ROOT / "samples/faces.mp4", work)
        subprocess.run(
            ["bash", ROOT / "samples/variants.sh", work / "variants", "orient6.mp4", "sar.mp4", "vfr.mp4"], check=True,
            stdout=subprocess.DEVNULL)
        if "frames" in arguments.only:
            for name, video in {
                "sample": work / "faces.mp4", "rotated": work / "variants/orient6.mp4",
                "anamorphic": work / "variants/sar.mp4", "variable rate": work / "variants/vfr.mp4",
            }.items():
                check_frames(arguments.vidscan, work, name, video, arguments.seeks)


if __name__ == "__main__":
    main()
