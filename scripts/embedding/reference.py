"""Compares the converted face embedding with dlib itself, and writes the expected values of two tests.

    python reference.py CHECKOUT

Run it in a virtual environment with requirements.txt; nothing else needs dlib. It uses the models of the set-up in
CHECKOUT/.deps, and fails if the embeddings of 20 faces differ by 1e-4 or more from dlib's.

CHECKOUT/Tests/VidscanInferenceTests/embedding.golden.json   dlib's embeddings of five squares of the sample clip
CHECKOUT/Tests/VidscanFacesTests/crop.golden.json            dlib's crops around the faces of expressions.golden.json
"""

import csv
import json
import subprocess
import sys
from pathlib import Path

import dlib
import numpy as np
import openvino

WIDTH, HEIGHT = 640, 360
SIDE = 150
FACES = 20
TOLERANCE = 1e-4

# The points of the mesh that are dlib's landmarks 27 to 54 and 60 to 64. Its crop ignores the others.
LANDMARKS = dict(
    zip(
        [*range(27, 55), *range(60, 65)],
        [168, 197, 5, 4, 98, 97, 2, 326, 327, 33, 160, 158, 133, 153, 144, 362, 385, 387, 263, 373, 380]
        + [61, 40, 37, 0, 267, 270, 291, 78, 82, 13, 312, 308],
    )
)


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


def squares(truth):
    """The frame and the top left corner of squares around faces, each person in turn, and one square without a face."""
    rows = [row for row in csv.DictReader(open(truth)) if float(row["visible"]) == 1]
    people = sorted({row["person"] for row in rows})
    found = []
    for person in people:
        own = [row for row in rows if row["person"] == person]
        for row in own[:: max(1, len(own) * len(people) // FACES)][: FACES // len(people)]:
            x, y, width, height = (float(row[key]) for key in ("x", "y", "width", "height"))
            left = min(max(round(x + width / 2 - SIDE / 2), 0), WIDTH - SIDE)
            top = min(max(round(y + height / 2 - SIDE / 2), 0), HEIGHT - SIDE)
            found.append({"person": person, "frame": int(row["frame"]), "x": left, "y": top})
    assert len(found) == FACES
    return found, {"person": None, "frame": found[0]["frame"], "x": 0, "y": HEIGHT - SIDE}


def crop_by_dlib(points):
    """Centre, side and angle of the square that dlib crops around a face with these mesh points."""
    # dlib takes whole pixels.
    scale = 1000
    places = [dlib.point(0, 0)] * 68
    for landmark, index in LANDMARKS.items():
        places[landmark] = dlib.point(round(scale * points[index][0]), round(scale * points[index][1]))
    details = dlib.get_face_chip_details(dlib.full_object_detection(dlib.rectangle(0, 0, 1, 1), places), SIDE, 0.25)
    rectangle = details.rect
    x, y = (rectangle.left() + rectangle.right()) / 2, (rectangle.top() + rectangle.bottom()) / 2
    return {"x": x / scale, "y": y / scale, "side": (rectangle.right() - rectangle.left()) / scale, "angle": details.angle}


def write(path, value):
    with open(path, "w") as file:
        json.dump(value, file, separators=(",", ":"))
        file.write("\n")


def main(checkout):
    checkout = Path(checkout)
    network = dlib.face_recognition_model_v1(str(checkout / ".deps/embedding/dlib_face_recognition_resnet_model_v1.dat"))
    model = openvino.Core().compile_model(
        str(checkout / ".deps/models/face_embedding.xml"), "CPU", {"INFERENCE_PRECISION_HINT": "f32"}
    )

    def by_dlib(chip):
        return np.array(network.compute_face_descriptor(np.ascontiguousarray(chip)))

    faces, background = squares(checkout / "samples/faces.truth.csv")
    cases, worst = [], 0
    for square in [*faces, background]:
        picture = frame(checkout / "samples/faces.mp4", square["frame"])
        chip = picture[square["y"] :, square["x"] :][:SIDE, :SIDE]
        expected, mirrored = by_dlib(chip), by_dlib(chip[:, ::-1])
        found = model([chip.transpose(2, 0, 1)[None].astype(np.float32)])[0][0]
        worst = max(worst, np.linalg.norm(found - expected))
        numbers = {"embedding": expected.round(8).tolist(), "mirrored": mirrored.round(8).tolist()}
        cases.append({**square, "sum": int(chip.sum()), **numbers})
    print(f"{FACES} faces and a background: at most {worst:.2g} from dlib's embedding")
    if worst >= TOLERANCE:
        sys.exit("the converted network differs from dlib's")
    chosen = [0, FACES // 2 - 1, FACES // 2, FACES - 1, FACES]
    write(checkout / "Tests/VidscanInferenceTests/embedding.golden.json", {"cases": [cases[i] for i in chosen]})

    meshes = json.load(open(checkout / "Tests/VidscanFacesTests/expressions.golden.json"))["cases"]
    crops = [crop_by_dlib(case["mesh"]) for case in meshes]
    write(checkout / "Tests/VidscanFacesTests/crop.golden.json", {"crops": crops})
    print(f"{len(crops)} crops")


if __name__ == "__main__":
    main(*sys.argv[1:])
