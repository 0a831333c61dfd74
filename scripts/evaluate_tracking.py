#!/usr/bin/env python3
"""Renders scenes in which people cross, hide, leave and return, with cuts, and scores vidscan's tracks on them.

usage: evaluate_tracking.py VIDSCAN [FOLDER]

The scenes use the sample portraits and samples/make_sample.py, whose requirements they need, and scipy. Tinted copies stand for
further people. Faces that are less than half visible count neither as found nor as missed. For 2, 5 and 25 samples per second, it
reports MOTA (Bernardin and Stiefelhagen, 2008), IDF1 (Ristani et al., 2016) by face_id and by person_id, id switches, ids
shared by two people, and cuts.
"""

import csv
import dataclasses
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np
from PIL import Image
from scipy.optimize import linear_sum_assignment

sys.path.insert(0, str(Path(__file__).parent.parent / "samples"))
import make_sample as sample  # noqa: E402

sample.SUPERSAMPLING = 2
COLLINS, HOPPER = sample.COLLINS, sample.HOPPER
TINTS = [(1, 1, 1), (1.25, 0.8, 0.7), (0.7, 0.9, 1.25), (0.75, 1.2, 0.75), (1.2, 1.1, 0.6)]


def variant(portrait, number):
    """Return a copy that stands for another person."""
    # The first copy is not tinted: it is the person.
    return dataclasses.replace(portrait, person=f"{portrait.person}{number}") if number else portrait


def crossing(t):
    return [
        sample.Placement(HOPPER, (560 - 480 * t, 185), 120, HOPPER.tilt),
        sample.Placement(COLLINS, (80 + 480 * t, 180), 116, COLLINS.tilt),
    ]


def leaving(t):
    # Out at the right edge within half a second, away for a second and a half, and back.
    away = max(0, min((t - 0.25) / 0.1, (0.75 - t) / 0.1, 1))
    return [sample.Placement(COLLINS, (250 + 650 * away, 170), 110, COLLINS.tilt)]


def alone(portrait, dx=0):
    return lambda t: [sample.Placement(portrait, (320 + dx + 20 * sample.wave(0.5, t), 175), 125, portrait.tilt)]


def slow(t):
    return [sample.Placement(COLLINS, (250 + 60 * t, 170), 100, COLLINS.tilt)]


def fast(t):
    return [
        sample.Placement(COLLINS, (320 + 230 * sample.wave(1.5, t), 110), 80, COLLINS.tilt),
        sample.Placement(HOPPER, (320 - 230 * sample.wave(1.5, t), 270), 80, HOPPER.tilt),
    ]


def ten(t):
    return [
        sample.Placement(
            variant((COLLINS, HOPPER)[i % 2], i // 2),
            (70 + 125 * (i % 5) + 8 * sample.wave(1, t + i / 10), 90 + 170 * (i // 5)), 62, 0)
        for i in range(10)
    ]


SCENES = [
    ("crossing", 125, sample.GREY, crossing),
    ("leaves and returns", 125, sample.BLUE, leaving),
    ("cut: first", 75, sample.SLATE, alone(COLLINS)),
    ("cut: second", 75, sample.SLATE, alone(HOPPER, 4)),
    ("cut back", 75, sample.SLATE, alone(COLLINS)),
    ("slow", 75, sample.FOLIAGE, slow),
    ("fast", 100, sample.BLUE, fast),
    ("ten faces", 75, sample.GREY, ten),
]


def layers():
    result = {}
    for portrait in (COLLINS, HOPPER):
        source = portrait.load()
        mask = portrait.mask(source.size)
        result[portrait.person] = (source, mask)
        for number, tint in enumerate(TINTS):
            pixels = np.clip(np.asarray(source, dtype=np.float32) * np.array(tint, dtype=np.float32), 0, 255)
            result[f"{portrait.person}{number}"] = (Image.fromarray(pixels.astype(np.uint8)), mask)
    return result


def render(folder):
    """Write scenes.mp4 and return the truth: by frame, (person, box, visible), and the frames of cuts."""
    command = f"ffmpeg -nostdin -v error -y -f rawvideo -pix_fmt rgb24 -video_size {sample.WIDTH}x{sample.HEIGHT}"
    command += f" -framerate {sample.FPS} -i pipe:0 -pix_fmt yuv420p -c:v libx264 -preset fast -crf 20"
    truth, cuts = [], []
    portraits = layers()
    with subprocess.Popen([*command.split(), str(folder / "scenes.mp4")], stdin=subprocess.PIPE) as ffmpeg:
        for seed, (kind, frames, backdrop, place) in enumerate(SCENES):
            if truth:
                cuts.append(len(truth))
            scene = sample.Scene(kind, frames, backdrop, 0.2, place)
            surface = sample.texture(scene, seed)
            for index in range(frames):
                picture = sample.background(surface, index / (frames - 1))
                placed = place(index / (frames - 1))
                for placement in placed:
                    picture = sample.composite(picture, placement, *portraits[placement.portrait.person])
                ffmpeg.stdin.write((np.clip(picture, 0, 255) + 0.5).astype(np.uint8).tobytes())
                row = []
                for position, placement in enumerate(placed):
                    visible = placement.visible()
                    for above in placed[position + 1:]:
                        visible *= 1 - overlap(placement.box(), above.box())[1]
                    row.append((placement.portrait.person, placement.box(), visible))
                truth.append(row)
    return truth, cuts


def overlap(a, b):
    """Return intersection over union, and over the area of `a`."""
    width = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0])
    height = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    common = max(width, 0) * max(height, 0)
    return common / (a[2] * a[3] + b[2] * b[3] - common), common / (a[2] * a[3])


def score(frames, truth, column):
    """Return MOTA, IDF1, switches, shared ids."""
    total = found = misses = false = switches = 0
    last, pairs = {}, Counter()
    for frame, rows in frames:
        people = [p for p in truth[frame] if p[2] > 0]
        cost = np.zeros((len(people), len(rows)))
        for i, person in enumerate(people):
            for j, row in enumerate(rows):
                value = overlap(person[1], row["box"])[0]
                cost[i, j] = value + (last.get(person[0]) == row[column]) if value >= 0.4 else 0
        match = {i: j for i, j in zip(*linear_sum_assignment(-cost)) if cost[i, j] > 0} if len(rows) and people else {}
        taken = set(match.values())
        for i, person in enumerate(people):
            counts = person[2] >= 0.5
            if i not in match:
                total, misses = total + counts, misses + counts
                continue
            if not counts:
                continue
            total, found = total + 1, found + 1
            name = rows[match[i]][column]
            if last.get(person[0], name) != name:
                switches += 1
            last[person[0]] = name
            pairs[person[0], name] += 1
        false += len(rows) - len(taken)
        found += len(rows) - len(taken)
    persons, names = sorted({p for p, _ in pairs}), sorted({n for _, n in pairs})
    table = np.array([[pairs[p, n] for n in names] for p in persons])
    i, j = linear_sum_assignment(-table)
    shared = sum((table[:, k] >= 2).sum() > 1 for k in range(len(names)))
    for k in range(len(names)):
        if (table[:, k] >= 2).sum() > 1:
            print(f"      {column} {names[k]} is shared:", {p: int(table[i, k]) for i, p in enumerate(persons) if table[i, k]})
    return 1 - (misses + false + switches) / total, 2 * table[i, j].sum() / (total + found), switches, shared


def main():
    folder = Path(sys.argv[2]) if len(sys.argv) > 2 else Path(tempfile.mkdtemp())
    truth, cuts = render(folder)
    for rate in (2, 5, 25):
        subprocess.run(
            [sys.argv[1], "analyze", folder / "scenes.mp4", "--rate", str(rate), "--metrics", "none", "--output",
             folder, "--force", "--quiet"], check=True)
        result = folder / "scenes.mp4.vidscan"
        frames = {int(row["frame"]): [] for row in csv.DictReader(open(result / "frames.csv"))}
        for row in csv.DictReader(open(result / "faces.csv")):
            row["box"] = [float(row[name]) for name in ("x", "y", "width", "height")]
            row["person"] = row["person_id"] or "face " + row["face_id"]
            frames[int(row["frame"])].append(row)
        rows = sorted(frames.items())
        events = [r for r in csv.DictReader(open(result / "events.csv")) if r["kind"] == "shot_cut"]
        expected = [min(f for f in frames if f >= cut) for cut in cuts]
        got = [round(float(event["time"]) * sample.FPS) for event in events]
        print(f"{rate} samples a second: cuts {len(set(expected) & set(got))} of {len(cuts)},"
              f" invented at {[frame / sample.FPS for frame in sorted(set(got) - set(expected))]}")
        for column in ("face_id", "person"):
            mota, idf1, switches, shared = score(rows, truth, column)
            print(f"  by {column}: MOTA {mota:.3f}, IDF1 {idf1:.3f}, {switches} switches, {shared} ids of two people")
        first = 0
        for kind, count, _, _ in SCENES:
            part = [(f, r) for f, r in rows if first <= f < first + count]
            mota, idf1, switches, shared = score(part, truth, "face_id")
            print(f"    {kind}: MOTA {mota:.3f}, IDF1 {idf1:.3f}, {switches} switches, {shared} shared")
            first += count


main()
