"""Downloads the weights of the face embedding.

usage: fetch_embedding.py DEPS_DIR

DEPS_DIR/embedding/dlib_face_recognition_resnet_model_v1.dat   the weights, in dlib's own format
DEPS_DIR/licenses/face_recognition_models-LICENSE              their licence

The weights are in a source distribution, and 'pip download' runs the setup.py of one. So this finds the archive as pip does,
with the user's settings for the index, the proxy and certificates, but only reads it. Nothing else is unpacked: the archive
also has a predictor of 68 landmarks whose training data must not be used commercially.
"""

import hashlib
import shutil
import sys
import tarfile
import tempfile
from pathlib import Path

PROJECT = "face_recognition_models"
VERSION = "0.3.0"
ARCHIVE_BYTES = 100_149_358
ARCHIVE_SHA256 = "b79bd200a88c87c9a9d446c990ae71c5a626d1f3730174e6d570157ff1d896cf"
WEIGHTS = "dlib_face_recognition_resnet_model_v1.dat"
WEIGHTS_SHA256 = "55533b28a95800a551ba546ba62fe69625c7e95a7061c338adffead08719da30"


def download(target) -> None:
    """Writes the archive to an open file."""
    # pip has no public interface that only downloads. These functions are the same in all versions since 20.
    from pip._internal.commands import create_command

    command = create_command("download")
    options, _ = command.parse_args(["--quiet", "--no-deps", f"--no-binary={PROJECT}", PROJECT])
    with command.main_context():
        session = command.get_default_session(options)
        finder = command._build_package_finder(options, session)
        links = [found.link for found in finder.find_all_candidates(PROJECT) if str(found.version) == VERSION]
        if not links:
            raise ValueError("pip does not find it; check the network and the settings of pip")
        with session.get(links[0].url_without_fragment, headers={"Accept-Encoding": "identity"}, stream=True) as response:
            response.raise_for_status()
            for block in response.iter_content(1 << 20):
                target.write(block)
                if target.tell() > ARCHIVE_BYTES:
                    raise ValueError(f"the download is larger than the {ARCHIVE_BYTES} bytes of the pinned archive")


def digest(file) -> str:
    """The SHA-256 of an open file, from its start; leaves it at its start."""
    file.seek(0)
    hasher = hashlib.sha256()
    while block := file.read(1 << 20):
        hasher.update(block)
    file.seek(0)
    return hasher.hexdigest()


def unpack(archive: tarfile.TarFile, member: str, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with archive.extractfile(f"{PROJECT}-{VERSION}/{member}") as source, open(target, "wb") as sink:
        shutil.copyfileobj(source, sink)


def main(deps: Path) -> None:
    deps.mkdir(parents=True, exist_ok=True)
    weights = deps / "embedding" / WEIGHTS
    # The archive has no name, so that nothing remains of it.
    with tempfile.TemporaryFile(dir=deps) as file:
        download(file)
        if digest(file) != ARCHIVE_SHA256:
            raise ValueError("the download does not have the pinned SHA-256")
        with tarfile.open(fileobj=file, mode="r:gz") as archive:
            unpack(archive, "LICENSE", deps / "licenses" / f"{PROJECT}-LICENSE")
            unpack(archive, f"{PROJECT}/models/{WEIGHTS}", weights)
    with open(weights, "rb") as file:
        if digest(file) != WEIGHTS_SHA256:
            raise ValueError(f"{WEIGHTS} does not have the pinned SHA-256")


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]))
    except Exception as error:
        sys.exit(f"cannot download {PROJECT} {VERSION}: {error}")
