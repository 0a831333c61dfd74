"""Geometry shared by training and by the reference implementation: alignment, features, measures.

Everything here is plain numpy on batches of meshes (N x 478 x 3, x right, y down, z away from the
camera, any unit and position). Numbers that come out are in units of the canonical face, whose outer
eye corners (points 33 and 263) are exactly 1 apart.
"""

import numpy as np

# What the reference's own blendshape network reads, and so what can explain its scores: contours of
# face, brows, lids, lips and nose, and the irises.
POINTS = [
    0, 1, 4, 5, 6, 7, 8, 10, 13, 14, 17, 21, 33, 37, 39, 40, 46, 52, 53, 54, 55, 58, 61, 63, 65, 66, 67,
    70, 78, 80, 81, 82, 84, 87, 88, 91, 93, 95, 103, 105, 107, 109, 127, 132, 133, 136, 144, 145, 146,
    148, 149, 150, 152, 153, 154, 155, 157, 158, 159, 160, 161, 162, 163, 168, 172, 173, 176, 178, 181,
    185, 191, 195, 197, 234, 246, 249, 251, 263, 267, 269, 270, 276, 282, 283, 284, 285, 288, 291, 293,
    295, 296, 297, 300, 308, 310, 311, 312, 314, 317, 318, 321, 323, 324, 332, 334, 336, 338, 356, 361,
    362, 365, 373, 374, 375, 377, 378, 379, 380, 381, 382, 384, 385, 386, 387, 388, 389, 390, 397, 398,
    400, 402, 405, 409, 415, 454, 466, 468, 469, 470, 471, 472, 473, 474, 475, 476, 477,
]

LIPS = [
    61, 146, 91, 181, 84, 17, 314, 405, 321, 375, 291, 185, 40, 39, 37, 0, 267, 269, 270, 409,
    78, 95, 88, 178, 87, 14, 317, 402, 318, 324, 308, 191, 80, 81, 82, 13, 312, 311, 310, 415,
]

# Subject's left eye lies on the right of the picture. Lid pairs are (upper, lower).
EYES = {
    "left": {"lids": [(386, 374), (385, 380), (387, 373)], "corners": (362, 263), "blink": "eyeBlinkLeft"},
    "right": {"lids": [(159, 145), (158, 153), (160, 144)], "corners": (133, 33), "blink": "eyeBlinkRight"},
}

# Lids and iris of each eye, corners included. Iris 468 belongs to the right eye, 473 to the left one.
EYE_CONTOURS = {
    "left": [362, 382, 381, 380, 374, 373, 390, 249, 263, 466, 388, 387, 386, 385, 384, 398, 473, 474, 475, 476, 477],
    "right": [133, 155, 154, 153, 145, 144, 163, 7, 33, 246, 161, 160, 159, 158, 157, 173, 468, 469, 470, 471, 472],
}


def steady_points(canonical):
    """Points that hold still when the mouth moves: all of the 468 above the mouth's level but the lips."""
    return [i for i in range(468) if canonical[i, 1] < 0.45 and i not in LIPS]


def align(meshes, canonical, points):
    """Least-squares similarity of each mesh to the canonical face over `points` (Umeyama 1991).

    Returns the aligned meshes, the rotations R (row vectors: (x - mean) @ R) and the scales.
    """
    source, target = meshes[:, points], canonical[points]
    source_mean, target_mean = source.mean(1, keepdims=True), target.mean(0)
    centred = source - source_mean
    covariance = np.einsum("nki,kj->nij", centred, target - target_mean) / len(points)
    u, s, vt = np.linalg.svd(covariance)
    sign = np.ones_like(s)
    sign[:, 2] = np.sign(np.linalg.det(u @ vt))  # a reflection is not a pose
    rotation = (u * sign[:, None, :]) @ vt
    scale = (s * sign).sum(1) / (centred**2).sum((1, 2)) * len(points)
    aligned = (meshes - source_mean) @ rotation * scale[:, None, None] + target_mean
    return aligned, rotation, scale


def view_axis(rotation):
    """The camera's z axis seen from the face: does not change when the picture is rotated in its plane."""
    return rotation[:, 2, :]


def features(meshes, canonical, steady, points=POINTS):
    """Inputs of the network: aligned xyz, upright xy, view axis. Shape N x (5 * points + 3).

    The upright xy keep the perspective of the camera (the reference's scores depend on it), only size,
    position and in-plane rotation are taken out.
    """
    aligned, rotation, scale = align(meshes, canonical, steady)
    angle = np.arctan2(rotation[:, 0, 1] - rotation[:, 1, 0], rotation[:, 0, 0] + rotation[:, 1, 1])
    cos, sin = np.cos(angle)[:, None], np.sin(angle)[:, None]
    flat = (meshes[:, :, :2] - meshes[:, :468, :2].mean(1, keepdims=True)) * scale[:, None, None]
    x, y = flat[:, points, 0], flat[:, points, 1]
    # Row vectors: (x, y) @ [[cos, sin], [-sin, cos]], the in-plane part of `rotation`.
    upright = np.stack([cos * x - sin * y, sin * x + cos * y], 2)
    count = len(meshes)
    inputs = [aligned[:, points].reshape(count, -1), upright.reshape(count, -1), view_axis(rotation)]
    return np.concatenate(inputs, 1), aligned, rotation


def measures(aligned, rotation):
    """Named distances on the aligned face, each as N numbers. "up" grows when the part moves up."""

    def mean(*points):
        return aligned[:, list(points)].mean(1)

    def distance(a, b):
        return np.linalg.norm(aligned[:, a] - aligned[:, b], axis=1)

    eye_level = mean(133, 362, 33, 263)[:, 1]
    corner_level = mean(61, 291)[:, 1]
    inner_brow = eye_level - mean(55, 285, 107, 336, 65, 295)[:, 1]
    outer_brow = eye_level - mean(46, 276, 53, 283, 63, 293, 70, 300)[:, 1]
    axis = view_axis(rotation)
    out = {
        "alar_up": eye_level - mean(64, 294, 98, 327, 48, 278, 129, 358)[:, 1],
        "philtrum_short": mean(2)[:, 1] - mean(0, 37, 267)[:, 1],
        "inner_brow_down": -inner_brow,
        "brow_slope": outer_brow - inner_brow,
        "brows_close": -distance(55, 285) - distance(107, 336),
        "lower_lid_up": eye_level - mean(145, 374, 153, 380, 144, 373)[:, 1],
        "upper_lid_up": eye_level - mean(159, 386, 158, 385, 160, 387)[:, 1],
        "cheek_up": eye_level - mean(50, 280, 205, 425, 101, 330)[:, 1],
        "corner_below_lower_lip": corner_level - mean(17)[:, 1],
        "corner_below_lips": corner_level - mean(13, 14)[:, 1],
        "lip_gap": distance(13, 14),
        "view_x": axis[:, 0],
        "view_y": axis[:, 1],
        "view_z": axis[:, 2],
    }
    for side, eye in EYES.items():
        width = distance(*eye["corners"])
        out[f"{side}_lid_gap"] = np.mean([distance(a, b) for a, b in eye["lids"]], 0) / width
    out["lids_open"] = (out["left_lid_gap"] + out["right_lid_gap"]) / 2
    return out
