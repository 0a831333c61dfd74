"""What LR-ASD, Silero VAD and the cepstra say of made-up pictures and sounds, as a reference for vidscan's own computation.

    PYTHONPATH=scripts python scripts/speech/reference.py models/lr-asd-ava.npz .deps/models/silero_vad_openvino_16k.onnx \
        Tests/VidscanInferenceTests/{speaker,voice}.golden.json Tests/VidscanFacesTests/cepstra.golden.json

Everything is computed plainly, layer by layer, as the authors' description says, without a runtime. Needs numpy, and
python_speech_features for the cepstra.
"""

import json
import sys

import numpy as np
from conversion.onnx import Graph

PICTURES = 11
SIDE = 112


def noise(count):
    """The bytes of a linear congruential generator (Numerical Recipes)."""
    state, values = 1, np.empty(count, np.uint8)
    for index in range(count):
        state = (1664525 * state + 1013904223) % 2**32
        values[index] = state >> 24
    return values


def pictures():
    """Grey: waves that grow and move, with noise."""
    y, x = np.mgrid[0:SIDE, 0:SIDE]
    waves = [(x * (t + 3) + y * (2 * t + 1)) % 200 for t in range(PICTURES)]
    return np.stack(waves).astype(np.int64) + noise(PICTURES * SIDE * SIDE).reshape(PICTURES, SIDE, SIDE) // 8


def convolve(values, weights, stride=None):
    """values: channels, then axes. The kernel is centred, and what lies outside is zero."""
    axes = weights.shape[2:]
    padded = np.pad(values, [(0, 0), *((size // 2, size // 2) for size in axes)])
    result = 0
    for tap in np.ndindex(axes):
        part = padded[(slice(None), *(slice(t, t + n) for t, n in zip(tap, values.shape[1:])))]
        result = result + np.tensordot(weights[(slice(None), slice(None), *tap)], part, 1)
    return result[(slice(None), *(slice(None, None, step) for step in stride))] if stride else result


def normalise(values, arrays, name):
    shape = (-1,) + (1,) * (values.ndim - 1)
    weight, bias, mean, variance = (
        arrays[f"{name}.{part}"].astype(np.float64).reshape(shape) for part in ("weight", "bias", "running_mean", "running_var")
    )
    return (values - mean) / np.sqrt(variance + 1e-3) * weight + bias


def block(values, arrays, prefix, names, stride=None):
    for index, name in enumerate(names):
        kind, number = name.split("_")
        weights = arrays[f"{prefix}.{name}.weight"].astype(np.float64)
        values = convolve(values, weights, stride if index == 0 else None)
        values = np.maximum(normalise(values, arrays, f"{prefix}.{kind}_norm_{number}"), 0)
    return values


def pool(values, sizes):
    """Maxima of 3 with a stride of 2 along the axes with size 3."""
    padded = np.pad(values, [(0, 0), *((size // 2, size // 2) for size in sizes)], constant_values=-np.inf)
    parts = [
        padded[(slice(None), *(slice(t, t + n) for t, n in zip(tap, values.shape[1:])))] for tap in np.ndindex(*sizes)
    ]
    return np.max(parts, axis=0)[(slice(None), *(slice(None, None, 2 if size > 1 else 1) for size in sizes))]


def seen(arrays, frames):
    values = ((frames / 255 - 0.4161) / 0.1688)[None]
    for number in (1, 2, 3):
        prefix = f"model.visualEncoder.block{number}"
        values = block(values, arrays, prefix, ["s_1", "s_2", "t_1", "t_2"], (1, 2, 2) if number == 1 else None)
        if number < 3:
            values = pool(values, (1, 3, 3))
    return values.max((2, 3)).T


def heard(arrays, cepstra):
    values = cepstra.T[None]
    for number in (1, 2, 3):
        values = block(values, arrays, f"model.audioEncoder.block{number}", ["m_1", "m_2", "t_1", "t_2"])
        if number < 3:
            values = pool(values, (1, 3))
    return values.mean(1).T


def sigmoid(values):
    return 1 / (1 + np.exp(-values))


def gate(values, arrays, attention, norm):
    weights = arrays[attention][:, :, 0].astype(np.float64)
    return values * sigmoid(normalise(weights @ values.T, arrays, norm).T)


def gru(values, arrays, name):
    weights = {part: arrays[f"{name}.{part}_l0"].astype(np.float64) for part in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")}
    state, states = np.zeros(64), []
    for value in values:
        a = np.split(weights["weight_ih"] @ value + weights["bias_ih"], 3)
        b = np.split(weights["weight_hh"] @ state + weights["bias_hh"], 3)
        reset, update = sigmoid(a[0] + b[0]), sigmoid(a[1] + b[1])
        state = (1 - update) * np.tanh(a[2] + reset * b[2]) + update * state
        states.append(state)
    return np.array(states)


def probabilities(values, arrays, loss, temperature):
    scores = values @ arrays[f"{loss}.FC.weight"].astype(np.float64).T + arrays[f"{loss}.FC.bias"]
    return sigmoid((scores[:, 1] - scores[:, 0]) / temperature)


def speaker(arrays):
    features = seen(arrays, pictures())
    cepstra = noise(PICTURES * 4 * 13).reshape(-1, 13) / 8.0 - 16
    values = np.concatenate([heard(arrays, cepstra), features], 1)
    values = gate(values, arrays, "model.fusion.attention.weight", "model.fusion.bn")
    forward = gru(values, arrays, "model.detector.gru_forward")
    backward = gru(values[::-1], arrays, "model.detector.gru_backward")[::-1]
    values = np.concatenate([forward, backward], 1)
    values = gate(values, arrays, "model.detector.attention.attention.weight", "model.detector.attention.bn")
    return {
        "features": features.round(5).tolist(),
        "speaking": probabilities(values, arrays, "lossAV", 1).round(6).tolist(),
        "moving": probabilities(features, arrays, "lossV", 2).round(6).tolist(),
    }


def syllables():
    """Two seconds at 16 kHz: silence, three syllables that go from one vowel to another, and silence."""
    time = np.arange(32000) / 16000
    first = (1 + np.sin(6 * np.pi * time)) / 2
    pitch = 2 * np.pi * 130 * time - 40 / 3 * np.cos(3 * np.pi * time)
    sound = np.zeros(len(time))
    for number in range(1, 30):
        strengths = [
            sum(np.exp(-(((130 * number - formant) / 200) ** 2)) for formant in formants)
            for formants in ((700, 1200, 2600), (300, 2300, 3000))
        ]
        sound += (strengths[0] * first + strengths[1] * (1 - first) + 0.05) * np.sin(number * pitch)
    loudness = 4000 * np.sqrt(np.maximum(0, np.sin(6 * np.pi * time + 1)))
    return np.round(sound * loudness * (time >= 0.5) * (time < 1.5)).astype(np.int16)


def voice(path):
    """The probability of a voice in each 32 ms."""
    with open(path, "rb") as file:
        tensors = Graph(file.read()).tensors
    arrays = {
        name.rpartition("__")[2]: np.array(tensor.values, np.float64).reshape(tensor.shape) for name, tensor in tensors.items()
    }
    sound = np.concatenate([np.zeros(64), syllables() / 32768])
    hidden, cell, found = np.zeros(128), np.zeros(128), []
    for start in range(0, len(sound) - 575, 512):
        part = np.pad(sound[start : start + 576], (0, 64), "reflect")
        windows = np.stack([part[at : at + 256] for at in range(0, 385, 128)], 1)
        parts = arrays["stft.forward_basis_buffer"][:, 0] @ windows
        values = np.hypot(parts[:129], parts[129:])
        for number, stride in enumerate((1, 2, 2, 1)):
            name = f"encoder.{number}.reparam_conv"
            values = convolve(values, arrays[f"{name}.weight"], [stride]) + arrays[f"{name}.bias"][:, None]
            values = np.maximum(values, 0)
        rnn = {part: arrays[f"decoder.rnn.{part}"] for part in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")}
        gates = rnn["weight_ih"] @ values[:, 0] + rnn["bias_ih"] + rnn["weight_hh"] @ hidden + rnn["bias_hh"]
        enter, forget, new, leave = np.split(gates, 4)
        cell = sigmoid(forget) * cell + sigmoid(enter) * np.tanh(new)
        hidden = sigmoid(leave) * np.tanh(cell)
        found.append(sigmoid(arrays["decoder.decoder.2.weight"][0, :, 0] @ np.maximum(hidden, 0) + arrays["decoder.decoder.2.bias"][0]))
    return np.array(found)


def cepstra():
    """Of a second of a rising tone, silence, and noise."""
    import python_speech_features

    time = np.arange(16000) / 16000
    tone = np.round(8000 * np.sin(2 * np.pi * (200 + 1500 * time) * time))
    tone[6000:9000] = 0
    tone[12000:] = (noise(4000).astype(np.int64) - 128) * 60
    return python_speech_features.mfcc(tone.astype(np.int16), 16000, numcep=13, winlen=0.025, winstep=0.010, appendEnergy=True)


def main(model, voices, speakers, probabilities, sounds):
    with np.load(model) as arrays, open(speakers, "w") as file:
        json.dump(speaker(arrays), file, separators=(",", ":"))
        file.write("\n")
    with open(probabilities, "w") as file:
        json.dump(voice(voices).round(6).tolist(), file, separators=(",", ":"))
        file.write("\n")
    with open(sounds, "w") as file:
        # The package fills the last windows up with silence; vidscan has only whole ones.
        json.dump({"rows": cepstra()[:98].round(4).tolist()}, file, separators=(",", ":"))
        file.write("\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
