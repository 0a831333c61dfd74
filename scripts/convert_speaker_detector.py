"""Writes the network of LR-ASD, which tells who speaks, as two models in OpenVINO's format (IR).

    python3 convert_speaker_detector.py IN.npz FOLDER

FOLDER gets speaker_picture.{xml,bin} and speaker_scores.{xml,bin}.

The picture network turns grey pictures of a mouth, 25 per second, into features, STEP pictures at a time: 1 x 1 x STEP x 112 x
112 to 1 x 128 x STEP. What a feature needs of earlier pictures is handed from step to step in three states, zero at first, whose
numbers have 16 bits, because each state is stored four times over. What it needs of later pictures delays it: a step's features
are those of the STEP pictures that end DELAY before its own. The mask, 1 for each picture that exists and 0 for the others,
covers the step's pictures and the 12 before them.

The other network takes the features of LENGTH pictures (1 x 128 x LENGTH), the 13 cepstra of the sound, 100 per second (1 x 1 x
13 x 4 LENGTH), and a mask, 1 for each row of cepstra that exists and 0 for those that follow. It gives the scores of two classes,
not speaking and speaking, by picture and sound (1 x LENGTH x 2) and by the picture alone (1 x LENGTH x 2). What does not exist has
no influence on the others. The length is fixed because the runtime keeps 2 MB for each length that it has met. Batch
normalisations are folded into the convolutions before them.

The network: Liao, Duan, Feng, Zhao, Yang and Chen, "LR-ASD: Lightweight and Robust Network for Active Speaker Detection", IJCV
2025. IN.npz has the weights trained on AVA-ActiveSpeaker, under the names in the authors' file.
"""

import ast
import math
import struct
import sys
import zipfile

from conversion.ir import Array, Model
from conversion.weights import Problem, require

EPSILON = 1e-3
HIDDEN = 64
STEP = 4
LENGTH = 160
# Of each block: two pictures for the first convolution over time, one for the second.
DELAY = 9


def read(path):
    """The arrays of an .npz file, which is a zip of .npy files."""
    arrays = {}
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            data = archive.read(name)
            require(data[:6] == b"\x93NUMPY" and data[6] == 1, f"{name} is not a version 1 .npy file")
            length = struct.unpack_from("<H", data, 8)[0]
            header = ast.literal_eval(data[10 : 10 + length].decode())
            if header["descr"] != "<f4":
                continue
            require(not header["fortran_order"], f"{name} is not in row-major order")
            values = struct.unpack_from(f"<{math.prod(header['shape'])}f", data, 10 + length)
            arrays[name.removesuffix(".npy")] = Array(header["shape"], values)
    return arrays


def normalisation(arrays, name):
    """The factor and the offset of each channel."""
    weight, bias, mean, variance = (
        arrays[f"{name}.{part}"].values for part in ("weight", "bias", "running_mean", "running_var")
    )
    factors = [w / math.sqrt(v + EPSILON) for w, v in zip(weight, variance)]
    return factors, [b - m * f for b, m, f in zip(bias, mean, factors)]


def scaled(array, factors):
    """The array with its first axis multiplied by the factors."""
    size = len(array.values) // len(factors)
    return Array(array.shape, [v * factors[i // size] for i, v in enumerate(array.values)])


def convolution(model, arrays, node, prefix, name, stride, padding=None):
    """A convolution, its normalisation and a ReLU."""
    kind, number = name.split("_")
    factors, offsets = normalisation(arrays, f"{prefix}.{kind}_norm_{number}")
    return model.activated(node, scaled(arrays[f"{prefix}.{name}.weight"], factors), offsets, stride, padding)


def picture(arrays):
    model = Model("speaker_picture")
    node = model.input("pictures", [1, 1, STEP, 112, 112])
    mask = model.input("mask", [1, 1, STEP + 12, 1, 1])
    states = [model.input(f"state_{i}", [1, 16 << i, 6, 112 >> i, 112 >> i], bits=16) for i in (1, 2, 3)]
    for number in (1, 2, 3):
        prefix = f"model.visualEncoder.block{number}"
        node = convolution(model, arrays, node, prefix, "s_1", [1, 2, 2] if number == 1 else [1, 1, 1])
        node = convolution(model, arrays, node, prefix, "s_2", [1, 1, 1])
        # This block's pictures are late by those that the blocks before wait for.
        late = 3 * (number - 1)
        node = model.multiply(node, model.cut(mask, 12 - late, 12 - late + STEP))
        node = model.layer("Concat", [model.convert(states[number - 1], 32), node], {"axis": 2})
        model.result(model.convert(model.cut(node, -6, 1 << 30), 16), f"next_{number}", rank=5, bits=16)
        node = convolution(model, arrays, node, prefix, "t_1", [1, 1, 1], padding=[0, 0, 0])
        node = model.multiply(node, model.cut(mask, 8 - late, 10 - late + STEP))
        node = convolution(model, arrays, node, prefix, "t_2", [1, 1, 1], padding=[0, 0, 0])
        if number < 3:
            node = model.pool(node, [1, 3, 3], [1, 2, 2], [0, 1, 1])
    model.result(model.reduce("ReduceMax", node, [3, 4]), "features")
    return model


def sound(model, arrays, node, mask):
    for number in (1, 2, 3):
        existing = model.every(1 << (number - 1), mask, 3)
        for name in ("m_1", "m_2", "t_1", "t_2"):
            # Those over time see neighbours.
            node = model.multiply(node, existing) if name.startswith("t") else node
            node = convolution(model, arrays, node, f"model.audioEncoder.block{number}", name, [1, 1])
        if number < 3:
            node = model.pool(node, [1, 3], [1, 2], [0, 1])
    return model.reduce("ReduceMean", node, [2])


def gate(model, arrays, node, attention, norm):
    """x * sigmoid(norm(attention x)), on 1 x T x n."""
    factors, offsets = normalisation(arrays, norm)
    weights = scaled(arrays[attention], factors)
    weights.shape = weights.shape[:2]
    weight = model.layer("Sigmoid", [model.product(node, weights, offsets)])
    return model.multiply(node, weight)


def gru(arrays, name):
    """The weights of a GRU in OpenVINO's order of the gates: update, reset, new; here it is reset, update, new.

    One more input, 1 where nothing exists, opens the update gate, so that the state stays as it is: zero before the first step.
    """

    def ordered(values):
        third = len(values) // 3
        return [*values[third : 2 * third], *values[:third], *values[2 * third :]]

    inputs, hidden, input_bias, hidden_bias = (
        ordered(arrays[f"{name}.{part}_l0"].values) for part in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    )
    both = [a + b for a, b in zip(input_bias[: 2 * HIDDEN], hidden_bias)]
    size = len(inputs) // (3 * HIDDEN)
    rows = [inputs[row * size : (row + 1) * size] + [100.0 if row < HIDDEN else 0.0] for row in range(3 * HIDDEN)]
    inputs = [value for row in rows for value in row]
    return inputs, hidden, both + input_bias[2 * HIDDEN :] + hidden_bias[2 * HIDDEN :]


def detector(model, arrays, node, mask):
    """1 x LENGTH x 256 to 1 x LENGTH x 128."""
    forward, backward = (gru(arrays, f"model.detector.gru_{name}") for name in ("forward", "backward"))
    inputs, hidden, bias = (a + b for a, b in zip(forward, backward))
    existing = model.layer("Reshape", [model.every(4, mask, 3), model.integers([1, LENGTH, 1])], {"special_zero": "false"})
    missing = model.layer("Subtract", [model.floats(Array([1], [1])), existing], {"auto_broadcast": "numpy"})
    node = model.layer("Concat", [node, missing], {"axis": 2})
    attributes = {
        "hidden_size": HIDDEN, "direction": "bidirectional", "activations": "sigmoid,tanh",
        "activations_alpha": "", "activations_beta": "", "clip": 0, "linear_before_reset": "true",
    }  # fmt: skip
    weights = [
        Array([1, 2, HIDDEN], [0] * 2 * HIDDEN), model.integers([LENGTH]), Array([2, 3 * HIDDEN, 257], inputs),
        Array([2, 3 * HIDDEN, HIDDEN], hidden), Array([2, 4 * HIDDEN], bias),
    ]  # fmt: skip
    nodes = [model.floats(w) if isinstance(w, Array) else w for w in weights]
    states = model.layer("GRUSequence", [node, *nodes], attributes, version="opset5", outputs=2)
    # 1 x 2 x T x 64: first one direction, then the other.
    states = model.transpose(states, [0, 2, 1, 3])
    return model.layer("Reshape", [states, model.integers([0, 0, 2 * HIDDEN])], {"special_zero": "true"})


def scores(arrays):
    model = Model("speaker_scores")
    features = model.transpose(model.input("features", [1, 128, LENGTH]), [0, 2, 1])
    cepstra, mask = model.input("cepstra", [1, 1, 13, 4 * LENGTH]), model.input("mask", [1, 1, 1, 4 * LENGTH])
    heard = model.transpose(sound(model, arrays, cepstra, mask), [0, 2, 1])
    node = model.layer("Concat", [heard, features], {"axis": 2})
    node = gate(model, arrays, node, "model.fusion.attention.weight", "model.fusion.bn")
    node = detector(model, arrays, node, mask)
    node = gate(model, arrays, node, "model.detector.attention.attention.weight", "model.detector.attention.bn")
    for loss, source, name in (("lossAV", node, "speaking"), ("lossV", features, "moving")):
        values = model.product(source, arrays[f"{loss}.FC.weight"], arrays[f"{loss}.FC.bias"].values)
        model.result(values, name)
    return model


def main(path, folder):
    arrays = read(path)
    for model in (picture(arrays), scores(arrays)):
        model.write(f"{folder}/{model.root.get('name')}")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except (Problem, OSError, KeyError, zipfile.BadZipFile, ValueError) as problem:
        sys.exit(f"convert_speaker_detector.py: {problem}")
