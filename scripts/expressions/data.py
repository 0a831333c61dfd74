"""The reference faces, split by person and by clip."""

import hashlib
import re

import numpy as np

HELD_CLIPS = {"live/d3.mp4", "live/d13.mp4", "live/d19.mp4", "live/s20.mp4"}
SPLIT_SALT = "split-26-"
EMOTION_LABELS = ["neutral", "happiness", "surprise", "anger", "sadness", "disgust"]


def bucket(text, count):
    return int(hashlib.sha256(text.encode()).hexdigest(), 16) % count


class Data:
    """The npz, split by person and by clip."""

    def __init__(self, path):
        d = np.load(path)
        self.mesh = d["mesh"].astype(np.float64)
        self.target = d["blendshapes"].astype(np.float64)
        self.names = [str(n) for n in d["blendshape_names"]]
        self.pose = d["pose"][:, :3, :3].astype(np.float64)
        self.emotion = d["emotion"]
        self.eye_pixels = d["eye_distance_px"]
        source = [str(s) for s in d["source"]]
        self.clip = np.array([s.split("#")[0] if "#" in s else "" for s in source])
        # One person has many pictures: the name without its number keeps them on one side of the split.
        self.person = np.array(
            ["" if "#" in s else s if "facial-expr" in s else re.sub(r"_?\d+\.jpg$", "", s) for s in source]
        )
        press = np.array([bool(re.search(r"_\d{4}\.jpg$", s)) for s in source])
        self.picture = self.clip == ""
        self.film = self.picture & ~press & np.array(["facial-expr" not in s for s in source])
        held_person = np.array([bucket(SPLIT_SALT + p, 100) < 22 for p in self.person])
        self.held_pictures = self.picture & held_person
        self.held_clips = np.array([c in HELD_CLIPS for c in self.clip])
        self.training = ~self.held_pictures & ~self.held_clips
        self.fold = np.array([bucket(p or c, 5) for p, c in zip(self.person, self.clip)])
