"""Learn the reference's 52 blendshape scores from meshes: a teacher of six networks, and one small network."""

import numpy as np
from scipy.optimize import linear_sum_assignment

import face
import network

HIDDEN = [320, 128]

# Winks are all but missing from the pictures, and a network that has seen only pairs of like eyes averages
# the two. So a part of the faces gets one eye, and that eye's scores, from another face.
EXCHANGED = 0.2
EYE_SCORES = ["eyeBlink", "eyeLookDown", "eyeLookIn", "eyeLookOut", "eyeLookUp", "eyeSquint", "eyeWide"]


def rodrigues(vectors):
    angle = np.linalg.norm(vectors, axis=1)[:, None, None]
    x, y, z = (vectors / angle[:, 0]).T
    o = np.zeros_like(x)
    k = np.stack([np.stack([o, -z, y], 1), np.stack([z, o, -x], 1), np.stack([-y, x, o], 1)], 1)
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k


def canonical_face(data):
    """Mean of the aligned training faces, made symmetric and turned to the reference's frontal pose.

    Returns the face and, for each point, its mirror image's index.
    """
    meshes = data.mesh[data.training]
    points = np.arange(468)
    mean = meshes[np.abs(meshes[:, 1, 0]).argmin()].copy()
    for _ in range(5):
        mean = face.align(meshes, mean, points)[0].mean(0)
    left = [33, 133, 61, 159, 145, 105, 234, 127, 58, 10, 152, 1, 4, 168, 6, 0, 17]
    right = [263, 362, 291, 386, 374, 334, 454, 356, 288, 10, 152, 1, 4, 168, 6, 0, 17]
    flipped = mean * [-1, 1, 1]
    # Match mirrored to plain points: align by a few known pairs first, then pair by distance.
    paired = flipped.copy()
    paired[left + right] = flipped[right + left]
    known = np.array(left + right)
    _, rotation, scale = face.align(paired[None], mean, known)
    moved = (flipped - paired[known].mean(0)) @ rotation[0] * scale[0] + mean[known].mean(0)
    distance = np.linalg.norm(moved[:, None] - mean[None], axis=2)
    distance[468:, :468] = distance[:468, 468:] = 9  # an iris point mirrors to an iris point
    mirror = linear_sum_assignment(distance)[1]
    assert (mirror[mirror] == np.arange(478)).all()
    # The reference's pose has y up and z towards the camera; ours has y down and z away.
    flip = np.diag([1.0, -1, -1])
    pose = flip @ data.pose[data.training] @ flip
    rotation = face.align(meshes, mean, points)[1]
    u, _, vt = np.linalg.svd((np.transpose(rotation, (0, 2, 1)) @ pose).mean(0))
    frontal = (mean - mean[168]) @ (u @ vt)
    frontal = (frontal + (frontal * [-1, 1, 1])[mirror]) / 2
    frontal -= frontal[168]
    frontal /= np.linalg.norm(frontal[33] - frontal[263])
    return np.float32(frontal).astype(np.float64), mirror


class Blendshapes:
    def __init__(self, data):
        self.data = data
        self.canonical, self.mirror = canonical_face(data)
        self.steady = face.steady_points(self.canonical)
        swap = lambda n: n.replace("Left", "@").replace("Right", "Left").replace("@", "Right")
        self.mirrored_target = np.array([data.names.index(swap(n)) for n in data.names])
        self.inputs, self.aligned, self.rotation = face.features(data.mesh, self.canonical, self.steady)
        spread = 1 / np.sqrt(data.target[data.training].std(0) + 0.03)
        self.weights = spread / spread.mean()  # rare scores count a little more than their variance

    def exchanged(self, rows, rng):
        """Meshes and scores of `rows`, some with one eye of another of the rows, whose head is turned alike."""
        x, t = self.data.mesh[rows].copy(), self.data.target[rows].copy()
        by_turn = rows[np.argsort(self.rotation[rows][:, 2, 0], kind="stable")]
        place = np.empty(len(self.data.mesh), int)
        place[by_turn] = np.arange(len(by_turn))
        names = self.data.names
        for side, contour in face.EYE_CONTOURS.items():
            shut = by_turn[self.data.target[by_turn][:, names.index(face.EYES[side]["blink"])] > 0.4]
            columns = [names.index(n + side.capitalize()) for n in EYE_SCORES]
            inner, outer = face.EYES[side]["corners"]
            for k in np.where(rng.random(len(rows)) < EXCHANGED / 2)[0]:
                row = rows[k]
                # Half of the eyes come from faces whose eye is more or less shut.
                pool = shut if rng.random() < 0.5 else by_turn
                near = np.searchsorted(place[pool], place[row]) + int(rng.normal(0, 0.05 * len(pool)))
                donor = pool[np.clip(near, 0, len(pool) - 1)]
                eye, onto = self.aligned[donor], self.aligned[row]
                a, b = eye[outer] - eye[inner], onto[outer] - onto[inner]
                turn = complex(*b[:2]) / complex(*a[:2])
                matrix = np.array([[turn.real, turn.imag, 0], [-turn.imag, turn.real, 0], [0, 0, abs(turn)]])
                changed = onto.copy()
                changed[contour] = (eye[contour] - eye[inner]) @ matrix + onto[inner]
                x[k] = changed @ self.rotation[row].T
                t[k, columns] = self.data.target[donor, columns]
        return x, t

    def augmented(self, rows, seed):
        """One eye exchanged in some, point jitter 0.1-0.7 % of the eye distance, half mirrored, turned by about 3 degrees."""
        rng = np.random.default_rng(seed)
        x, t = self.exchanged(rows, rng)
        x += rng.normal(0, 0.006, x.shape) * rng.uniform(0.2, 1.2, (len(x), 1, 1))
        half = rng.random(len(x)) < 0.5
        x[half] = (x[half] * [-1, 1, 1])[:, self.mirror]
        t[half] = t[half][:, self.mirrored_target]
        x = x @ np.transpose(rodrigues(rng.normal(0, np.radians(3), (len(x), 3))), (0, 2, 1))
        return face.features(x, self.canonical, self.steady)[0], t

    def blended(self, rows, seed):
        """Faces between two training faces: unlabelled, the teacher says what they show."""
        rng = np.random.default_rng(seed)
        a, part = self.aligned[rows], rng.uniform(0, 0.5, (len(rows), 1, 1))
        x = (1 - part) * a + part * a[rng.permutation(len(rows))]
        x = x @ np.transpose(self.rotation[rows], (0, 2, 1))
        x = x @ np.transpose(rodrigues(rng.normal(0, np.radians(4), (len(x), 3))), (0, 2, 1))
        x += rng.normal(0, 0.004, x.shape)
        return face.features(x, self.canonical, self.steady)[0]

    def scaler(self, rows):
        mean, deviation = self.inputs[rows].mean(0), self.inputs[rows].std(0) + 1e-4
        return np.float32(mean), np.float32(1 / deviation)

    def out_of_fold(self):
        """Predictions for the training rows by networks that have not seen their person or clip."""
        data, out = self.data, np.full(self.data.target.shape, np.nan)
        for fold in range(5):
            rows = np.where(data.training & (data.fold != fold))[0]
            test = data.training & (data.fold == fold)
            mean, scale = self.scaler(rows)
            copies = [self.augmented(rows, 100 * fold + k) for k in range(6)]
            x = [np.float32((f - mean) * scale) for f, _ in copies]
            t = [np.float32(t) for _, t in copies]
            shown = np.float32((self.inputs[test] - mean) * scale)
            parts = [network.predict(network.train(x, t, [256, 128], self.weights, 48, s), shown) for s in (0, 1)]
            out[test] = np.mean(parts, 0)
        return out

    def fit(self):
        rows = np.where(self.data.training)[0]
        self.mean, self.scale = self.scaler(rows)
        norm = lambda f: np.float32((f - self.mean) * self.scale)
        copies = [self.augmented(rows, 1000 + k) for k in range(10)]
        x, t = [norm(f) for f, _ in copies], [np.float32(t) for _, t in copies]
        sizes = [[256, 128], [256, 128], [256, 128], [384, 192], [256, 256], [256, 256]]
        members = [network.train(x, t, h, self.weights, 60, s) for s, h in enumerate(sizes)]
        teacher = lambda f: np.mean([network.predict(p, f) for p in members], 0)
        self.teacher_scores = teacher(norm(self.inputs))
        t = [np.float32(0.7 * teacher(f) + 0.3 * labels) for f, labels in zip(x, t)]
        for k in range(10):
            f = norm(self.blended(rows, 2000 + k))
            x.insert(2 * k, f)
            t.insert(2 * k, np.float32(teacher(f)))
        self.layers = network.train(x, t, HIDDEN, self.weights, 100, 11, decay=0.03)

    def keep(self, model):
        """Takes the network that ships."""
        self.mean, self.scale = model.arrays["input_mean"], model.arrays["input_scale"]
        self.layers = [model.arrays[f"{d['name']}.{part}"] for d in model.description["layers"] for part in ("weight", "bias")]
