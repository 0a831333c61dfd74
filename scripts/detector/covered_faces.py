"""Learns a second score for the detector: whether a cell is the centre of a face that something covers.

    python covered_faces.py centerface.onnx path/to/labelled covered_faces.json

The detector's own score is a sum of the 24 features of a cell. Masks lower it, although the features still tell a face
with a mask from other things. This is logistic regression on the same features, so it costs one more output. Positive
examples are cells whose box is that of a face with a mask: the pictures of masks.zip, and portraits of fairface.zip over
which masks are drawn, all at many sizes. Negative examples are what the detector is least sure of beside those faces, in
films, and in enlarged parts of their labelled frames without a face. `labelled` holds masks.zip, fairface.zip, the films
and faces.csv. Only a score above 0.5 counts, so the bias is set such that FALSE_ALARMS of the films' negative cells
exceed it.

With --check, it learns from one half of the faces, and prints what it finds in the other and in pictures that it never
learns from: those of WIDER FACE in boxes.csv and pictures/.
"""

import csv
import io
import json
import subprocess
import sys
import zipfile
import zlib
from pathlib import Path

import numpy as np
import openvino
from PIL import Image, ImageDraw, ImageOps

FEATURES, LOGITS, SIZES, OFFSETS, POINTS = "535", "536", "538", "539", "540"
SIDE, CELL = 448, 4
HEIGHTS = (36, 340)
FALSE_ALARMS = 0.001
OFTEN = {"mask": 2.0, "drawn": 0.5}
RIDGE = 10.0


class Detector:
    """CenterFace. For a picture, a multiple of 32 wide and high: features (24 x cells), logits, boxes (4 x cells)."""

    def __init__(self, path):
        self.model = openvino.Core().read_model(path)
        self.model.add_outputs([FEATURES, LOGITS])
        self.compiled = {}

    def __call__(self, pixels):
        size = pixels.shape[:2]
        if size not in self.compiled:
            model = self.model.clone()
            model.reshape([1, 3, *size])
            precision = {"INFERENCE_PRECISION_HINT": "f32"}
            self.compiled[size] = openvino.Core().compile_model(model, "CPU", precision)
        input = np.ascontiguousarray(pixels.astype(np.float32).transpose(2, 0, 1)[None])
        found = {name: value[0] for key, value in self.compiled[size](input).items() for name in key.get_names()}
        rows, columns = np.mgrid[0 : size[0] // CELL, 0 : size[1] // CELL]
        height, width = np.exp(found[SIZES]) * CELL
        top = (rows + found[OFFSETS][0] + 0.5) * CELL - height / 2
        left = (columns + found[OFFSETS][1] + 0.5) * CELL - width / 2
        return found[FEATURES], found[LOGITS][0], np.stack([left, top, width, height]), found[POINTS]


def overlap(boxes, box):
    """Intersection over union of each cell's box with one box."""
    x, y, width, height = boxes
    across = np.clip(np.minimum(x + width, box[0] + box[2]) - np.maximum(x, box[0]), 0, None)
    down = np.clip(np.minimum(y + height, box[1] + box[3]) - np.maximum(y, box[1]), 0, None)
    common = across * down
    return common / (width * height + box[2] * box[3] - common)


def is_elsewhere(boxes, box):
    """Whether each cell's box neither overlaps the box nor has its centre in it."""
    x, y = boxes[0] + boxes[2] / 2, boxes[1] + boxes[3] / 2
    inside = (x > box[0]) & (x < box[0] + box[2]) & (y > box[1]) & (y < box[1] + box[3])
    return (overlap(boxes, box) < 0.1) & ~inside


class Examples:
    def __init__(self, detector, seed):
        self.detector, self.rng = detector, np.random.default_rng(seed)
        self.rows = []

    def add(self, kind, source, found, cells):
        features, logits = found[:2]
        for row, column in cells:
            self.rows.append((kind, source, float(logits[row, column]), features[:, row, column].astype(float)))

    def add_negatives(self, source, found, allowed, count):
        """The cells with the highest score, those among the large boxes, and some by chance."""
        logits, boxes = found[1], found[2]
        cells = np.argwhere(allowed)
        if len(cells) == 0:
            return
        large = np.where(boxes[3][allowed] > 60, logits[allowed], -np.inf)
        chosen = [np.argsort(-logits[allowed])[:count], np.argsort(-large)[:count], self.rng.integers(0, len(cells), count)]
        self.add("negative", source, found, cells[np.concatenate(chosen)])

    def add_face(self, kind, source, pixels, box):
        found = self.detector(pixels)
        boxes = found[2]
        distance = np.hypot(boxes[0] + boxes[2] / 2 - box[0] - box[2] / 2, boxes[1] + boxes[3] / 2 - box[1] - box[3] / 2)
        value = overlap(boxes, box) - distance / box[3]
        cells = sorted(map(tuple, np.argwhere(overlap(boxes, box) > 0.5)), key=lambda cell: -value[cell])
        if kind:
            self.add(kind, source, found, cells[:4])
        self.add_negatives(source, found, is_elsewhere(boxes, box), 5)

    def placed(self, pixels, box):
        """The picture at another size, somewhere in a frame, and the face's box there."""
        uniform = self.rng.uniform
        scale = np.exp(uniform(*np.log(HEIGHTS))) / box[3]
        size = [max(8, round(side * scale)) for side in pixels.shape[1::-1]]
        resized = np.asarray(Image.fromarray(pixels).resize(size, Image.BOX if scale < 1 else Image.BICUBIC))
        box = np.asarray(box) * scale
        corner = []
        for axis in (0, 1):
            if size[axis] <= SIDE:
                corner.append(int(uniform(0, SIDE - size[axis])))
            else:
                first = uniform(box[axis] + box[axis + 2] - SIDE, box[axis])
                corner.append(-int(np.clip(first, 0, size[axis] - SIDE)))
        (x, y), (width, height) = corner, size
        border = ((max(y, 0), max(SIDE - y - height, 0)), (max(x, 0), max(SIDE - x - width, 0)), (0, 0))
        frame = np.pad(resized, border, mode="edge" if uniform() < 0.5 else "constant")
        frame = frame[max(-y, 0) : max(-y, 0) + SIDE, max(-x, 0) : max(-x, 0) + SIDE]
        return frame, [box[0] + x, box[1] + y, box[2], box[3]]

    def with_mask(self, pixels, points):
        """Draws a mask between the eyes and below the chin. `points`: eyes, nose, corners of the mouth."""
        rng, uniform = self.rng, self.rng.uniform
        eyes, down = points[:2].mean(0), points[3:].mean(0) - points[:2].mean(0)
        across = points[1] - points[0]
        across *= np.sign(across[0] or 1) * np.linalg.norm(down) / max(np.linalg.norm(across), 1e-6)
        top, wide, bottom = uniform(0.25, 0.6), uniform(0.75, 1.1), uniform(1.45, 1.75)
        outline = [
            (-wide, top + uniform(0, 0.25)), (-0.3, top), (0, top - uniform(0, 0.15)), (0.3, top),
            (wide, top + uniform(0, 0.25)), (wide * 0.85, 1.2), (0.35, bottom), (-0.35, bottom), (-wide * 0.85, 1.2),
        ]  # fmt: skip
        height, width = pixels.shape[:2]
        size = (2 * width, 2 * height)

        def at(x, y):
            return tuple(2 * (eyes + across * x + down * y))

        cover = Image.new("L", size)
        ImageDraw.Draw(cover).polygon([at(*point) for point in outline], fill=255)
        white, black, surgical = np.full(3, uniform(190, 255)), np.full(3, uniform(5, 60)), uniform((120, 180, 210), (190, 220, 250))
        colour = [white, black, surgical, uniform(0, 255, 3)][rng.choice(4, p=[0.35, 0.26, 0.16, 0.23])]
        y, x = np.mgrid[0 : size[1], 0 : size[0]]
        length = 2 * np.linalg.norm(down)
        shade = 1 - 0.35 * np.clip(abs(x - 2 * eyes[0]) / (1.1 * length), 0, 1) ** 2
        texture = colour * shade[..., None] + rng.normal(0, uniform(1, 8), (*shade.shape, 1))
        if uniform() < 0.4:
            texture += uniform(4, 18) * np.sign(np.sin((y - 2 * eyes[1]) / length * uniform(12, 30)))[..., None]
        if uniform() < 0.25:
            print = Image.fromarray(rng.integers(0, 255, (12, 12, 3), np.uint8)).resize(size, Image.BICUBIC)
            texture = (texture + np.asarray(print)) / 2
        image = Image.fromarray(pixels).resize(size, Image.BILINEAR)
        if uniform() < 0.7:
            for side in (-wide, wide):
                strap = [at(side * 0.95, top + 0.15), at(side * 1.25, top - uniform(0, 0.3))]
                ImageDraw.Draw(image).line(strap, fill=tuple(map(int, colour)), width=max(1, int(length * 0.04)))
        image.paste(Image.fromarray(np.clip(texture, 0, 255).astype(np.uint8)), (0, 0), cover)
        return np.asarray(image.resize((width, height), Image.BOX))


def pictures(path):
    with zipfile.ZipFile(path) as archive:
        for name in sorted(archive.namelist()):
            if name.lower().endswith((".jpg", ".jpeg", ".png")):
                image = Image.open(io.BytesIO(archive.read(name)))
                yield name, ImageOps.exif_transpose(image).convert("RGB")


def in_frame(image, side):
    """The picture as large as `side` allows, in the middle of a frame that continues its edges."""
    scale = side / max(image.size)
    width, height = [max(1, round(length * scale)) for length in image.size]
    x, y = (SIDE - width) // 2, (SIDE - height) // 2
    pixels = np.asarray(image.resize((width, height), Image.LANCZOS))
    border = ((y, SIDE - height - y), (x, SIDE - width - x), (0, 0))
    return pixels, np.pad(pixels, border, mode="edge"), (x, y)


def add_masks(examples, path):
    for name, image in pictures(path):
        pixels, frame, (x, y) = in_frame(image, 320)
        _, logits, boxes, _ = examples.detector(frame)
        left, top, width, height = boxes
        inside = (left > 0) & (top > 0) & (left + width < SIDE) & (top + height < SIDE)
        inside &= (height > 0.2 * len(pixels)) & (logits > -3.5)
        if inside.any():
            cell = np.unravel_index(np.where(inside, logits, -np.inf).argmax(), logits.shape)
            box = boxes[:, *cell] - [x, y, 0, 0]
            for _ in range(3):
                examples.add_face("mask" if name.startswith("with_mask/") else None, name, *examples.placed(pixels, box))


def add_portraits(examples, path):
    for name, image in pictures(path):
        pixels, frame, (x, y) = in_frame(image, 300)
        _, logits, boxes, points = examples.detector(frame)
        cell = np.unravel_index(logits.argmax(), logits.shape)
        if logits[cell] < 0.5:
            continue
        box = boxes[:, *cell] - [x, y, 0, 0]
        points = box[:2] + points[:, *cell].reshape(5, 2)[:, ::-1] * box[2:]
        examples.add_face("drawn", name, *examples.placed(examples.with_mask(pixels, points), box))


def frames(path):
    probe = "ffprobe -v error -select_streams v:0 -show_entries stream=width,height -of csv=p=0".split()
    size = subprocess.run([*probe, path], capture_output=True, text=True, check=True).stdout.split()[0].split(",")
    decode = ["ffmpeg", "-v", "error", "-i", path, "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
    pixels = subprocess.run(decode, capture_output=True, check=True).stdout
    return np.frombuffer(pixels, np.uint8).reshape(-1, int(size[1]), int(size[0]), 3)


def labelled_pictures(folder):
    """Name, pixels and boxes of each picture."""
    boxes = {}
    with open(folder / "boxes.csv") as file:
        for row in csv.DictReader(file):
            boxes.setdefault(row["picture"], []).append([float(row[key]) for key in ("x", "y", "width", "height")])
    for name, faces in sorted(boxes.items()):
        yield name, np.asarray(Image.open(folder / "pictures" / name).convert("RGB")), faces


def labelled_frames(folder):
    labels = {}
    with open(folder / "faces.csv") as file:
        for row in csv.DictReader(file):
            faces = labels.setdefault(row["file"], {}).setdefault(int(row["frame"]), [])
            if row["x"]:
                faces.append([float(row[key]) for key in ("x", "y", "width", "height")])
    for name, numbers in sorted(labels.items()):
        film = frames(folder / name)
        for number in sorted(n for n in numbers if n < len(film)):
            yield name, film[number], numbers[number]


def in_tensor(detector, pixels):
    """What the detector finds in a frame, the cells in the frame, and the scale."""
    height, width = pixels.shape[:2]
    scale = min(1, SIDE / min(height, width))
    size = (round(width * scale), round(height * scale))
    shrunk = np.asarray(Image.fromarray(pixels).resize(size, Image.BOX))
    found = detector(np.pad(shrunk, ((0, -size[1] % 32), (0, -size[0] % 32), (0, 0))))
    inside = np.ones(found[1].shape, bool)
    inside[-(-size[1] // CELL) :] = inside[:, -(-size[0] // CELL) :] = False
    return found, inside, scale


def add_scenes(examples, scenes):
    rng = examples.rng
    for name, pixels, faces in scenes:
        height, width = pixels.shape[:2]
        found, allowed, scale = in_tensor(examples.detector, pixels)
        for face in faces:
            allowed &= is_elsewhere(found[2], [value * scale for value in face])
        examples.add_negatives("scene " + name, found, allowed, 30)
        for _ in range(14):
            side = int(np.exp(rng.uniform(np.log(60), np.log(min(height, width)))))
            x, y = rng.integers(0, width - side + 1), rng.integers(0, height - side + 1)
            if any(f[0] < x + side and f[0] + f[2] > x and f[1] < y + side and f[1] + f[3] > y for f in faces):
                continue
            part = Image.fromarray(pixels[y : y + side, x : x + side])
            found = examples.detector(np.asarray(part.resize((SIDE, SIDE), Image.BICUBIC if side < SIDE else Image.BOX)))
            examples.add_negatives("scene " + name, found, np.ones(found[1].shape, bool), 4)


def add_films(examples, folder):
    """Every eighth frame, away from all that might be a face."""
    for film in sorted(folder.glob("*.mp4")):
        for pixels in frames(film)[::8]:
            found, allowed, _ = in_tensor(examples.detector, pixels)
            logits, boxes = found[1:3]
            while (open := np.where(allowed & (logits > -2.2), logits, -np.inf)).max() > -np.inf:
                cell = np.unravel_index(open.argmax(), open.shape)
                allowed &= is_elsewhere(boxes, boxes[:, *cell])
                allowed[cell] = False
            examples.add_negatives("scene " + film.name, found, allowed, 7)


def regression(values, labels, weights):
    """Ridge logistic regression by Newton's method."""
    mean, deviation = values.mean(0), values.std(0) + 1e-6
    inputs = np.column_stack([(values - mean) / deviation, np.ones(len(values))])
    penalty = np.append(np.full(values.shape[1], RIDGE), 0)
    solution = np.zeros(inputs.shape[1])
    for _ in range(30):
        chance = 1 / (1 + np.exp(-inputs @ solution))
        gradient = inputs.T @ (weights * (chance - labels)) + penalty * solution
        curvature = (inputs * (weights * chance * (1 - chance))[:, None]).T @ inputs + np.diag(penalty)
        solution -= np.linalg.solve(curvature, gradient)
    slopes = solution[:-1] / deviation
    return np.append(slopes, solution[-1] - slopes @ mean)


def learn(rows):
    """The weights of the features, then the bias."""
    kinds, scores = np.array([row[0] for row in rows]), np.array([row[2] for row in rows])
    values = np.array([row[3] for row in rows])
    scenes = np.array([row[1].startswith("scene ") for row in rows])
    weights = np.array([OFTEN.get(kind, 2.0 if scene else 1.0) for kind, scene in zip(kinds, scenes)])
    solution = regression(values, kinds != "negative", weights)
    solution[-1] -= np.quantile(values[scenes] @ solution[:-1] + solution[-1], 1 - FALSE_ALARMS)
    return solution


def report(what, kind, rows, solution):
    values, old = np.array([row[3] for row in rows]), np.array([row[2] for row in rows])
    best = {}
    for row, before, after in zip(rows, old, np.maximum(old, values @ solution[:-1] + solution[-1])):
        if row[0] == kind:
            key = len(best) if kind == "negative" else row[1]
            best[key] = np.maximum(best.get(key, -np.inf), [before, after])
    counts = (np.array(list(best.values())) > 0).sum(0)
    print(f"{what}: of {len(best)}, {counts[0]} score above 0.5, {counts[1]} with the second score")


def main(model, folder, output, check):
    examples = Examples(Detector(model), 1)
    add_masks(examples, folder / "masks.zip")
    add_portraits(examples, folder / "fairface.zip")
    add_scenes(examples, labelled_frames(folder))
    add_films(examples, folder)
    solution = learn(examples.rows)
    numbers = {"weights": [float(f"{weight:.6g}") for weight in solution[:-1]], "bias": float(f"{solution[-1]:.6g}")}
    output.write_text(json.dumps(numbers, indent=1) + "\n")
    if not check:
        return
    others = Examples(examples.detector, 2)
    add_scenes(others, labelled_pictures(folder))
    for half in (0, 1):
        held = [not row[1].startswith("scene ") and zlib.crc32(row[1].encode()) % 2 == half for row in examples.rows]
        tested = [row for row, is_held in zip(examples.rows, held) if is_held]
        solution = learn([row for row, is_held in zip(examples.rows, held) if not is_held])
        report("faces with a mask", "mask", tested, solution)
        report("faces with a drawn mask", "drawn", tested, solution)
        report("cells of other pictures without a face", "negative", others.rows, solution)


if __name__ == "__main__":
    arguments = [argument for argument in sys.argv[1:] if argument != "--check"]
    if len(arguments) != 3:
        sys.exit("usage: covered_faces.py [--check] centerface.onnx LABELLED OUT.json")
    main(arguments[0], Path(arguments[1]), Path(arguments[2]), "--check" in sys.argv)
