"""From 52 blendshape scores, measured distances and the pixels' evidence to eyes, expressions, emotions, emojis.

Plain functions of arrays; every number comes from the constants `c` that train.py fits and stores, or
stands in `initial_constants`, with its reason. Scores and expressions run 0...100 outside, 0...1 inside.
"""

import numpy as np

RESIDUALS = [
    "inner_brow_down", "brows_close", "brow_slope", "alar_up", "philtrum_short", "lower_lid_up",
    "cheek_up", "corner_below_lower_lip", "corner_below_lips", "lids_open", "upper_lid_up",
]

LOGITS = {
    "brow_down": ["browDownLeft", "browDownRight"],
    "frown": ["mouthFrownLeft", "mouthFrownRight"],
    "stretch": ["mouthStretchLeft", "mouthStretchRight"],
    "shrug": ["mouthShrugLower"],
    "upper_up": ["mouthUpperUpLeft", "mouthUpperUpRight"],
    "wide": ["eyeWideLeft", "eyeWideRight"],
    "squint": ["eyeSquintLeft", "eyeSquintRight"],
    "smile": ["mouthSmileLeft", "mouthSmileRight"],
    "dimple": ["mouthDimpleLeft", "mouthDimpleRight"],
}


def initial_constants(names):
    """Constants before fitting: what is set by reason, and the prior weights that votes may move."""
    pair = lambda n: [n + "Left", n + "Right"]
    return {
        "blendshapes": list(names),
        "residuals": {},
        "logits": {},
        # gain: the reference seldom uses its full range; 100 is where its strong examples lie.
        "blendshape_expressions": {
            "brow_raise": {"scores": pair("browOuterUp"), "combine": "mean", "gain": 1.0},
            "chin_raise": {"scores": ["mouthShrugLower"], "combine": "mean", "gain": 2.0},
            "inner_brow_raise": {"scores": ["browInnerUp"], "combine": "mean", "gain": 1.0},
            "jaw_drop": {"scores": ["jawOpen"], "combine": "mean", "gain": 1.4},
            "lid_tighten": {"scores": pair("eyeSquint"), "combine": "mean", "gain": 1.0},
            "lip_press": {"scores": pair("mouthPress"), "combine": "mean", "gain": 2.0},
            "lip_pucker": {"scores": ["mouthPucker"], "combine": "mean", "gain": 1.0},
            "lip_stretch": {"scores": pair("mouthStretch"), "combine": "mean", "gain": 1.25},
            "lip_suck": {"scores": ["mouthRollUpper", "mouthRollLower"], "combine": "max", "gain": 2.0},
            "upper_lip_raise": {"scores": pair("mouthUpperUp"), "combine": "mean", "gain": 1.0},
        },
        # Weights per standard deviation of each term. FACS: AU 4, 14, 15, 12, 5 and 9.
        "learned_expressions": {
            # train.py learns the first four, and as many weights of the pixels' evidence.
            "brow_furrow": {
                "weights": dict.fromkeys(["brow_down", "inner_brow_down", "brows_close", "brow_slope"], 0.0), "bias": 0.0,
            },
            "dimpler": {"weights": {"dimple": 0.0}, "bias": 0.0},
            "lip_corner_depressor": {
                "weights": dict.fromkeys(["frown", "stretch", "corner_below_lower_lip", "corner_below_lips", "shrug"], 0.0),
                "bias": 0.0,
            },
            "smile": {"weights": {"smile": 0.0}, "bias": 0.0},
            # This one and the last were once fitted to the emotion labels of the press photographs. Graded down to drooping
            # lids, where the reference's eyeWide is 0 already.
            "eye_widen": {
                "weights": {"wide": 0.93, "lids_open": 0.586, "upper_lid_up": 0.306},
                "bias": -1.434,
            },
            "nose_wrinkle": {
                "weights": {
                    "alar_up": 0.5, "philtrum_short": 0.5, "inner_brow_down": 0.3, "brow_down": 0.3,
                    "upper_up": 0.6, "lower_lid_up": 0.3, "cheek_up": 0.2,
                },
                "bias": -1.8,
            },
        },
        # No label and no reference speak of it: set by reason, not fitted.
        "fixed_expressions": {
            "cheek_raise": {
                "weights": {"smile": 0.8, "squint": 0.6, "cheek_up": 0.4, "lower_lid_up": 0.4},
                "bias": -1.2,
            },
        },
        "mouth_open": {"closed_gap": 0.02, "open_gap": 0.27},
        "smirk": {"gain": 1.5},
        "attention": {"full_degrees": 10.0, "none_degrees": 45.0},
        # Lid gap over eye width: 0.09 is as shut as the mesh gets, 0.30 an ordinary open eye.
        "eyes": {
            "shut_gap": 0.09, "open_gap": 0.30, "shut_blink": 0.60, "open_blink": 0.10,
            "closure_centre": 35.0, "closure_width": 8.0, "wink_gap_weight": 0.5, "wink_centre": 0.5, "wink_width": 0.1,
            "wink_open_from": 5.0, "wink_open_to": 40.0,
        },
        "emotions": {
            "joy": {
                "raises": {"smile": 1.0},
                # Who cries may draw the mouth as if to laugh: then the brows, and a jaw that hangs, have to tell.
                "lowers": {
                    "brow_raise": 0.05, "brow_furrow": 0.5, "jaw_drop": 0.5, "lip_corner_depressor": 0.5,
                    "nose_wrinkle": 0.5,
                },
                "bias": -2.0,
            },
            "surprise": {
                # Once fitted to the labels of the press photographs.
                "raises": {"inner_brow_raise": 0.74, "brow_raise": 0.82, "eye_widen": 2.44, "jaw_drop": 6.06},
                "lowers": {"brow_furrow": 1.28},
                "bias": -2.0,
            },
            "anger": {
                "raises": {
                    "brow_furrow": 3.0, "lid_tighten": 0.5, "eye_widen": 0.3, "chin_raise": 0.4,
                    "mouth_open": 1.0, "lip_suck": 0.2, "nose_wrinkle": 0.5,
                },
                "lowers": {"inner_brow_raise": 2.0, "brow_raise": 0.4, "smile": 1.5},
                "bias": -1.5,
            },
            "disgust": {
                "raises": {"nose_wrinkle": 2.5, "upper_lip_raise": 1.5},
                "lowers": {"lip_suck": 0.4, "smile": 1.5},
                "bias": -1.5,
            },
            "sadness": {
                "raises": {
                    "inner_brow_raise": 1.0, "brow_furrow": 0.7, "lip_corner_depressor": 2.0, "eye_closure": 0.5,
                    "lid_tighten": 0.3,
                },
                "lowers": {
                    "brow_raise": 0.8, "eye_widen": 0.7, "lip_press": 0.1, "mouth_open": 1.0,
                    "lip_suck": 0.1, "smile": 1.2,
                },
                "bias": -1.0,
            },
            "fear": {
                "raises": {"inner_brow_raise": 1.0, "brow_furrow": 0.6, "eye_widen": 2.5, "lip_stretch": 1.5},
                "lowers": {"brow_raise": 0.3, "lip_corner_depressor": 0.4, "jaw_drop": 0.2, "smile": 1.5},
                "bias": -2.0,
            },
            "contempt": {
                "raises": {"brow_furrow": 0.4, "smirk": 3.5},
                "lowers": {"smile": 0.8},
                "bias": -2.0,
            },
        },
        # Sums of expressions and emotions / 100, times 100 and clamped. Bias: the median of neutral faces comes out 0.
        "valence": {
            "weights": {
                "smile": 0.5, "cheek_raise": 0.1, "joy": 0.5, "inner_brow_raise": -0.15, "brow_furrow": -0.2,
                "nose_wrinkle": -0.2, "upper_lip_raise": -0.1, "lip_corner_depressor": -0.2,
                "chin_raise": -0.1, "lip_press": -0.1, "lip_suck": -0.1, "sadness": -0.5, "anger": -0.5,
                "disgust": -0.3, "fear": -0.3, "contempt": -0.1,
            },
            "bias": 0.0,
        },
        "engagement": {
            "weights": {
                "brow_raise": 0.5, "brow_furrow": 0.5, "nose_wrinkle": 0.5, "lip_corner_depressor": 0.5,
                "chin_raise": 0.5, "lip_pucker": 0.5, "lip_press": 0.3, "mouth_open": 0.5, "lip_suck": 0.3,
                "smile": 1.0,
            },
            "bias": 0.0,
        },
        # The raw value that becomes 50, of each emoji that follows no emotion.
        "emoji_edges": {},
        # Events use the same number for a smile. The bias of the smile is set so that this is the smile that at most one
        # person in twenty exceeds in more than one in twenty of the pictures that people call neutral.
        "thresholds": {"dominant_emoji": 50.0, "has_smile": 30.0},
    }


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def mean_of(c, scores, names):
    return scores[:, [c["blendshapes"].index(n) for n in names]].mean(1)


def mean_logit(c, scores, names):
    p = mean_of(c, scores, names)
    return np.log((p + 0.01) / (1.01 - p))


def covariates(c, scores, geometry):
    """What moves the measured distances besides the muscle in question: head turn, smile, jaw."""
    smile = mean_of(c, scores, ["mouthSmileLeft", "mouthSmileRight"])
    jaw = mean_of(c, scores, ["jawOpen"])
    x, y = geometry["view_x"], geometry["view_y"]
    return np.stack([np.ones_like(x), y, np.abs(x), y * y, smile, jaw, smile * smile], 1)


def terms(c, scores, geometry):
    """Inputs of learned expressions, in standard deviations."""
    base = covariates(c, scores, geometry)
    out = {}
    for name, r in c["residuals"].items():
        out[name] = np.clip((geometry[name] - base @ np.array(r["coefficients"])) / r["deviation"], -3, 3)
    for name, r in c["logits"].items():
        out[name] = np.clip((mean_logit(c, scores, r["scores"]) - r["mean"]) / r["deviation"], -3, 3)
    return out


def ramp(x, low, high):
    return np.clip((x - low) / (high - low), 0, 1)


def plain_expressions(c, scores, geometry):
    """The expressions that need no fitting, 0...1."""
    e = {}
    for name, s in c["blendshape_expressions"].items():
        values = scores[:, [c["blendshapes"].index(n) for n in s["scores"]]]
        e[name] = np.minimum(1, s["gain"] * (values.max(1) if s["combine"] == "max" else values.mean(1)))
    e["mouth_open"] = ramp(geometry["lip_gap"], c["mouth_open"]["closed_gap"], c["mouth_open"]["open_gap"])
    get = lambda n: mean_of(c, scores, [n])
    uneven = np.abs(get("mouthSmileLeft") - get("mouthSmileRight")) + np.abs(get("mouthDimpleLeft") - get("mouthDimpleRight"))
    e["smirk"] = np.minimum(1, c["smirk"]["gain"] * uneven)
    degrees = np.degrees(np.arccos(np.clip(geometry["view_z"], -1, 1)))
    a = c["attention"]
    e["attention"] = 1 - ramp(degrees, a["full_degrees"], a["none_degrees"])
    return e


def eyes(c, scores, geometry):
    """Openness of each eye 0...100, closure, closed, wink. Left and right are the subject's."""
    k, out, closure = c["eyes"], {}, {}
    for side, blink in (("left", "eyeBlinkLeft"), ("right", "eyeBlinkRight")):
        by_gap = ramp(geometry[f"{side}_lid_gap"], k["shut_gap"], k["open_gap"])
        by_blink = ramp(-mean_of(c, scores, [blink]), -k["shut_blink"], -k["open_blink"])
        out[f"{side}_eye_openness"] = 50 * (by_gap + by_blink)
        closure[side] = sigmoid((k["closure_centre"] - out[f"{side}_eye_openness"]) / k["closure_width"])
        out[f"{side}_eye_closed"] = (closure[side] >= 0.5).astype(float)
    out["eye_closure"] = 50 * (closure["left"] + closure["right"])
    # One eye far more shut than the other, by its score and by its gap, and the other really open (not the tail of
    # a blink). Neither stops growing at some openness, as the openness itself does.
    left, right = geometry["left_lid_gap"], geometry["right_lid_gap"]
    apart = np.abs(mean_of(c, scores, ["eyeBlinkLeft"]) - mean_of(c, scores, ["eyeBlinkRight"]))
    apart = apart + k["wink_gap_weight"] * np.abs(left - right) / np.maximum(np.maximum(left, right), 1e-6)
    wider = np.maximum(out["left_eye_openness"], out["right_eye_openness"])
    open_enough = ramp(wider, k["wink_open_from"], k["wink_open_to"])
    out["wink"] = 100 * open_enough * sigmoid((apart - k["wink_centre"]) / k["wink_width"])
    return out


def learned_logit(spec, terms, evidence):
    """A learned expression before the bias."""
    seen = sum(w * evidence[k] for k, w in spec.get("evidence", {}).items())
    return sum(w * terms[k] for k, w in spec["weights"].items()) + seen


def expressions(c, scores, geometry, evidence):
    """All expressions, 0...100. `evidence`: the pixels' log odds by emotion, all 0 if they were not looked at."""
    t, e = terms(c, scores, geometry), plain_expressions(c, scores, geometry)
    for name, s in {**c["learned_expressions"], **c["fixed_expressions"]}.items():
        e[name] = sigmoid(learned_logit(s, t, evidence) + s["bias"])
    out = {k: 100 * v for k, v in e.items()}
    out["eye_closure"] = eyes(c, scores, geometry)["eye_closure"]
    return dict(sorted(out.items()))


def emotion_logit(spec, e, evidence):
    """`evidence`: the pixels' log odds of this emotion, clipped."""
    up = sum(w * e[k] / 100 for k, w in spec["raises"].items())
    down = sum(w * e[k] / 100 for k, w in spec["lowers"].items())
    return up - down + spec.get("evidence", 0) * evidence + spec["bias"]


def weighted_sum(spec, e):
    return 100 * (sum(w * e[k] / 100 for k, w in spec["weights"].items()) + spec["bias"])


def emotions(c, e, evidence):
    out = {}
    for name, spec in c["emotions"].items():
        z = emotion_logit(spec, e, evidence[name])
        out[name] = 100 * sigmoid(spec["gain"] * z)
    out["engagement"] = np.clip(weighted_sum(c["engagement"], e), 0, 100)
    out["valence"] = np.clip(weighted_sum(c["valence"], e | out), -100, 100)
    return out


def raw_emojis(e, emotion, eye):
    """0...100 each. There is no signal for the tongue, so its two emojis do not exist here.

    An emoji of an emotion is no likelier than the emotion: 50 means of it what it means of the emotion.
    """
    e = {k: v / 100 for k, v in e.items()}
    m = {k: v / 100 for k, v in emotion.items()}
    wink = eye["wink"] / 100
    both = np.minimum(100 - eye["left_eye_openness"], 100 - eye["right_eye_openness"]) / 100
    values = {
        "laughing": m["joy"] * np.sqrt(e["mouth_open"]),
        "smiley": m["joy"] * (1 - 0.5 * e["mouth_open"]) * (1 - wink),
        "relaxed": np.sqrt(e["smile"] * both) * (1 - e["mouth_open"]) * (1 - wink),
        "wink": wink,
        "kissing": e["lip_pucker"] * (1 - e["mouth_open"]) * (1 - e["smile"]),
        "flushed": e["eye_widen"] * (1 - e["mouth_open"]) * (1 - e["smile"]),
        "disappointed": m["sadness"] * np.sqrt(e["lip_corner_depressor"]) * (1 - e["smile"]),
        "rage": m["anger"] * (1 - e["smile"]),
        "scream": m["surprise"] * np.sqrt(e["jaw_drop"]) * (1 - e["smile"]),
        "smirk": e["smirk"] * (1 - wink),
    }
    return {k: 100 * v for k, v in values.items()}


def calibrated(value, edge):
    """0...100 on two straight lines: `edge` becomes 50, 0 and 100 stay. Keeps the order of values."""
    return np.where(value < edge, 50 * value / edge, 100 - 50 * (100 - value) / max(100 - edge, 1e-6))


def emojis(c, e, emotion, eye):
    values = raw_emojis(e, emotion, eye)
    return {k: calibrated(v, c["emoji_edges"][k]) if k in c["emoji_edges"] else v for k, v in values.items()}


def everything(c, scores, geometry, evidence):
    """All groups of outputs for a batch, each a dictionary of arrays. `evidence`: the pixels' log odds by emotion."""
    eye = eyes(c, scores, geometry)
    expression = expressions(c, scores, geometry, evidence)
    emotion = emotions(c, expression, evidence)
    closure = eye.pop("eye_closure")
    assert np.array_equal(closure, expression["eye_closure"])
    eye["has_smile"] = (expression["smile"] > c["thresholds"]["has_smile"]).astype(float)
    emoji = emojis(c, expression, emotion, eye)
    eye["wink"] = emoji["wink"]
    return {"eyes": eye, "expressions": expression, "emotions": emotion, "emojis": emoji}
