"""Writes Silero VAD's network for sound of 16 kHz as a model in OpenVINO's format (IR).

    python3 convert_voice_detector.py IN.onnx FOLDER

FOLDER gets voice.{xml,bin}. The model takes 576 samples of sound, -1 to 1, of which the first 64 are those before the chunk, and
the state after the chunk before (2 x 128, zero at first). It gives the probability of a voice and the next state.

Reading this format needs a smaller part of the runtime than reading ONNX does, and 4 MB less memory. The original is expected to
be as the package has it; another one is an error.
"""

import struct
import sys

from conversion.ir import Array, Model
from conversion.onnx import Graph
from conversion.weights import Problem, require

CHUNK, CONTEXT = 512, 64
WINDOW, HOP = 256, 128
FREQUENCIES = WINDOW // 2 + 1
# Inputs, outputs and stride of the encoder's convolutions.
ENCODER = [(FREQUENCIES, 128, 1), (128, 64, 2), (64, 64, 2), (64, 128, 1)]
HIDDEN = 128
PREFIX = "F0::If_0_then_branch__Inline_0__"


def convolution(graph, name, stride, padding):
    """Requires that the original has this convolution once."""
    found = [node for node in graph.nodes if node.kind == "Conv" and node.inputs[1] == PREFIX + name]
    require(len(found) == 1, f"there is no convolution with the weights {name}")
    attributes = found[0].attributes
    expected = {"strides": [stride], "pads": [padding] * 2, "dilations": [1], "group": 1}
    require(all(attributes.get(k) == v for k, v in expected.items()), f"the convolution {name} is of another kind")


def magnitudes(model, graph, samples):
    """Short-time Fourier transform: 1 x 1 x CONTEXT + CHUNK to 1 x FREQUENCIES x 4."""
    convolution(graph, "stft.forward_basis_buffer", HOP, 0)
    basis = graph.constant(PREFIX + "stft.forward_basis_buffer", 2 * FREQUENCIES, 1, WINDOW)
    ends = [model.integers([0, 0, 0]), model.integers([0, 0, CONTEXT])]
    samples = model.layer("Pad", [samples, *ends], {"pad_mode": "reflect"})
    half = FREQUENCIES * WINDOW
    squares = []
    for values in (basis[:half], basis[half:]):
        node = model.convolve(samples, Array([FREQUENCIES, 1, WINDOW], values), [HOP], [0])
        squares.append(model.multiply(node, node))
    return model.layer("Sqrt", [model.layer("Add", squares, {"auto_broadcast": "numpy"})])


def gates(values):
    """The weights of an LSTM in OpenVINO's order of the gates: forget, input, cell, output; here input comes first."""
    quarter = len(values) // 4
    return [*values[quarter : 2 * quarter], *values[:quarter], *values[2 * quarter :]]


def voice(graph):
    model = Model("voice")
    samples = model.input("samples", [1, 1, CONTEXT + CHUNK])
    state = model.input("state", [2, HIDDEN])
    node = magnitudes(model, graph, samples)
    for number, (inputs, outputs, stride) in enumerate(ENCODER):
        name = f"encoder.{number}.reparam_conv"
        convolution(graph, name + ".weight", stride, 1)
        weights = Array([outputs, inputs, 3], graph.constant(PREFIX + name + ".weight", outputs, inputs, 3))
        node = model.activated(node, weights, graph.constant(PREFIX + name + ".bias", outputs), [stride])
    node = model.layer("Reshape", [node, model.integers([1, HIDDEN])], {"special_zero": "false"})

    matrices = [
        Array([4 * HIDDEN, HIDDEN], gates(graph.constant(f"{PREFIX}decoder.rnn.weight_{kind}", 4 * HIDDEN, HIDDEN)))
        for kind in ("ih", "hh")
    ]
    biases = [graph.constant(f"{PREFIX}decoder.rnn.bias_{kind}", 4 * HIDDEN) for kind in ("ih", "hh")]
    bias = Array([4 * HIDDEN], gates([a + b for a, b in zip(*biases)]))
    before = [
        model.layer("Gather", [state, model.integers([index]), model.integer(0)], version="opset8") for index in (0, 1)
    ]
    attributes = {
        "hidden_size": HIDDEN, "activations": "sigmoid,tanh,tanh", "activations_alpha": "", "activations_beta": "", "clip": 0,
    }  # fmt: skip
    weights = [model.floats(array) for array in (*matrices, bias)]
    number, port = model.layer("LSTMCell", [node, *before, *weights], attributes, version="opset4", outputs=2)
    hidden, cell = (number, port), (number, port + 1)

    convolution(graph, "decoder.decoder.2.weight", 1, 0)
    weights = Array([1, HIDDEN], graph.constant(PREFIX + "decoder.decoder.2.weight", 1, HIDDEN, 1))
    score = model.product(model.layer("ReLU", [hidden]), weights, graph.constant(PREFIX + "decoder.decoder.2.bias", 1))
    model.result(model.layer("Sigmoid", [score]), "probability")
    model.result(model.layer("Concat", [hidden, cell], {"axis": 0}), "next_state", rank=2)
    return model


def main(path, folder):
    with open(path, "rb") as file:
        graph = Graph(file.read())
    voice(graph).write(f"{folder}/voice")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except (Problem, OSError, KeyError, IndexError, StopIteration, struct.error, ValueError) as problem:
        sys.exit(f"convert_voice_detector.py: {problem}")
