"""The points that OpenVINO finds in crops of the sample, as a reference for vidscan's own computation of the network.

    python golden.py samples/faces.mp4 attention_mesh.xml GOLDEN.json

scripts/mesh/openvino_model.cpp makes the OpenVINO model. Needs numpy and openvino.
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


def main(clip, path, output):
    core = openvino.Core()
    model = core.compile_model(path, "CPU", {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1})
    cases = []
    for seconds, filters in CROPS:
        command = ["ffmpeg", "-nostdin", "-v", "error", "-ss", str(seconds), "-i", clip, "-frames:v", "1", "-vf", filters]
        raw = subprocess.run([*command, "-f", "rawvideo", "-pix_fmt", "rgb24", "-"], check=True, capture_output=True).stdout
        picture = np.frombuffer(raw, np.uint8).reshape(192, 192, 3).transpose(2, 0, 1)[None].astype(np.float32)
        found = model([picture])
        points = found["landmarks"][0].astype(np.float64).round(4).tolist()
        presence = round(float(found["presence"].squeeze()), 6)
        cases.append({"seconds": seconds, "filter": filters, "presence": presence, "points": points})
        print(f"{seconds} s: presence {presence}")
    with open(output, "w") as file:
        json.dump({"cases": cases}, file, separators=(",", ":"))
        file.write("\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
