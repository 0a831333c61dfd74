"""Writes the network of LR-ASD, which tells who speaks, as two models in OpenVINO's format (IR).

    python3 convert_speaker_detector.py IN.npz FOLDER

FOLDER gets speaker_picture.{xml,bin} and speaker_scores.{xml,bin}.

The picture network turns grey pictures of a mouth, 25 per second, into features, STEP pictures at a time: 1 x 1 x STEP x 112 x
112 to 1 x 128 x STEP. What a feature needs of earlier pictures is handed from step to step in three states, zero at first, whose
numbers have 16 bits, because each state is stored four times over. What it needs of later pictures delays it: a step's features
are those of the STEP pictures that end DELAY before its own. The mask, 1 for each picture that exists and 0 for the others,
covers the step's pictures and the 12 before them.

The other network takes the features of T pictures, any number (1 x 128 x T), and the 13 cepstra of the sound, 100 per second (1 x
1 x 13 x 4T), and gives the scores of two classes, not speaking and speaking, by picture and sound (1 x T x 2) and by the picture
alone (1 x T x 2). Batch normalisations are folded into the convolutions before them.

The network: Liao, Duan, Feng, Zhao, Yang and Chen, "LR-ASD: Lightweight and Robust Network for Active Speaker Detection", IJCV
2025. IN.npz has the weights trained on AVA-ActiveSpeaker, under the names in the authors' file. OpenVINO's format is described
at https://docs.openvino.ai/2026/documentation/openvino-ir-format.html.
"""

import ast
import math
import struct
import sys
import zipfile
from xml.etree import ElementTree

from conversion.weights import Problem, require

EPSILON = 1e-3
HIDDEN = 64
STEP = 4
# Of each block: two pictures for the first convolution over time, one for the second.
DELAY = 9


class Array:
    """A tensor of 32-bit floats in row-major order."""

    def __init__(self, shape, values):
        self.shape, self.values = tuple(shape), list(values)
        require(len(self.values) == math.prod(self.shape), "a tensor has another size than its shape says")


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


class Model:
    """A graph under construction. A node is an output port: the layer's number and the port's."""

    def __init__(self, name):
        self.root = ElementTree.Element("net", name=name, version="11")
        self.layers = ElementTree.SubElement(self.root, "layers")
        self.edges = ElementTree.SubElement(self.root, "edges")
        self.data = bytearray()
        self.count = 0

    def layer(self, kind, inputs, attributes=None, version="opset1", outputs=1, precision="FP32", name=None, dims=None):
        number = self.count
        self.count += 1
        layer = ElementTree.SubElement(
            self.layers, "layer", id=str(number), name=name or f"{kind}_{number}", type=kind, version=version
        )
        if attributes:
            ElementTree.SubElement(layer, "data", {key: str(value) for key, value in attributes.items()})
        if inputs:
            ports = ElementTree.SubElement(layer, "input")
            for port, (source, source_port) in enumerate(inputs):
                ElementTree.SubElement(ports, "port", id=str(port))
                edge = {"from-layer": source, "from-port": source_port, "to-layer": number, "to-port": port}
                ElementTree.SubElement(self.edges, "edge", {key: str(value) for key, value in edge.items()})
        if outputs:
            ports = ElementTree.SubElement(layer, "output")
            for port in range(outputs):
                output = ElementTree.SubElement(ports, "port", id=str(len(inputs) + port), precision=precision)
                if name:
                    output.set("names", name)
                for dim in dims or []:
                    ElementTree.SubElement(output, "dim").text = str(dim)
        return number, len(inputs)

    def input(self, name, shape, bits=32):
        data = {"shape": ",".join("?" if dim < 0 else str(dim) for dim in shape), "element_type": f"f{bits}"}
        return self.layer("Parameter", [], data, name=name, dims=shape, precision=f"FP{bits}")

    def result(self, node, name, rank=3, bits=32):
        shape = self.integers([0] * rank)
        named = self.layer("Reshape", [node, shape], {"special_zero": "true"}, name=name, precision=f"FP{bits}")
        self.layer("Result", [named], outputs=0)

    def convert(self, node, bits):
        return self.layer("Convert", [node], {"destination_type": f"f{bits}"}, precision=f"FP{bits}")

    def constant(self, shape, packed, kind, precision):
        data = {"element_type": kind, "shape": ",".join(map(str, shape)), "offset": len(self.data), "size": len(packed)}
        self.data += packed
        return self.layer("Const", [], data, precision=precision, dims=shape)

    def floats(self, array):
        packed = struct.pack(f"<{len(array.values)}f", *array.values)
        return self.constant(array.shape, packed, "f32", "FP32")

    def integers(self, values):
        return self.constant([len(values)], struct.pack(f"<{len(values)}q", *values), "i64", "I64")

    def integer(self, value):
        return self.constant([], struct.pack("<q", value), "i64", "I64")

    def convolve(self, node, weights, bias, stride, padding=None):
        rank = len(weights.shape) - 2
        padding = [size // 2 for size in weights.shape[2:]] if padding is None else padding
        ones, pads = ",".join(["1"] * rank), ",".join(map(str, padding))
        attributes = {
            "strides": ",".join(map(str, stride)), "dilations": ones, "pads_begin": pads, "pads_end": pads,
            "auto_pad": "explicit",
        }  # fmt: skip
        node = self.layer("Convolution", [node, self.floats(weights)], attributes)
        shape = [1, weights.shape[0]] + [1] * rank
        return self.layer("ReLU", [self.layer("Add", [node, self.floats(Array(shape, bias))], {"auto_broadcast": "numpy"})])

    def pool(self, node, kernel, stride, padding):
        pads = ",".join(map(str, padding))
        attributes = {
            "kernel": ",".join(map(str, kernel)), "strides": ",".join(map(str, stride)), "pads_begin": pads,
            "pads_end": pads, "rounding_type": "floor", "auto_pad": "explicit",
        }  # fmt: skip
        return self.layer("MaxPool", [node], attributes)

    def reduce(self, kind, node, axes):
        return self.layer(kind, [node, self.integers(axes)], {"keep_dims": "false"})

    def multiply(self, node, other):
        return self.layer("Multiply", [node, other], {"auto_broadcast": "numpy"})

    def cut(self, node, start, stop):
        """The pictures from start to stop, counted from the end where negative, of a tensor whose third axis is time."""
        ends = [[start], [stop], [1], [2]]
        return self.layer("Slice", [node, *map(self.integers, ends)], version="opset8")

    def transpose(self, node, order):
        return self.layer("Transpose", [node, self.integers(order)])

    def product(self, node, weights, bias):
        """1 x T x n times the transposed weights, m x n, plus the bias: 1 x T x m."""
        attributes = {"transpose_a": "false", "transpose_b": "true"}
        node = self.layer("MatMul", [node, self.floats(weights)], attributes)
        return self.layer("Add", [node, self.floats(Array([1, 1, len(bias)], bias))], {"auto_broadcast": "numpy"})

    def write(self, path):
        ElementTree.indent(self.root)
        ElementTree.ElementTree(self.root).write(path + ".xml", encoding="utf-8", xml_declaration=True)
        with open(path + ".bin", "wb") as file:
            file.write(self.data)


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
    return model.convolve(node, scaled(arrays[f"{prefix}.{name}.weight"], factors), offsets, stride, padding)


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


def sound(model, arrays, node):
    for number in (1, 2, 3):
        for name in ("m_1", "m_2", "t_1", "t_2"):
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
    """The weights of a GRU in OpenVINO's order of the gates: update, reset, new; here it is reset, update, new."""

    def ordered(values):
        third = len(values) // 3
        return [*values[third : 2 * third], *values[:third], *values[2 * third :]]

    inputs, hidden, input_bias, hidden_bias = (
        ordered(arrays[f"{name}.{part}_l0"].values) for part in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    )
    both = [a + b for a, b in zip(input_bias[: 2 * HIDDEN], hidden_bias)]
    return inputs, hidden, both + input_bias[2 * HIDDEN :] + hidden_bias[2 * HIDDEN :]


def detector(model, arrays, node):
    """1 x T x 256 to 1 x T x 128."""
    forward, backward = (gru(arrays, f"model.detector.gru_{name}") for name in ("forward", "backward"))
    inputs, hidden, bias = (a + b for a, b in zip(forward, backward))
    shape = model.layer("ShapeOf", [node], {"output_type": "i64"}, version="opset3", precision="I64")
    length = model.layer("Gather", [shape, model.integers([1]), model.integer(0)], version="opset8", precision="I64")
    attributes = {
        "hidden_size": HIDDEN, "direction": "bidirectional", "activations": "sigmoid,tanh",
        "activations_alpha": "", "activations_beta": "", "clip": 0, "linear_before_reset": "true",
    }  # fmt: skip
    weights = [
        Array([1, 2, HIDDEN], [0] * 2 * HIDDEN), length, Array([2, 3 * HIDDEN, 256], inputs),
        Array([2, 3 * HIDDEN, HIDDEN], hidden), Array([2, 4 * HIDDEN], bias),
    ]  # fmt: skip
    nodes = [model.floats(w) if isinstance(w, Array) else w for w in weights]
    states = model.layer("GRUSequence", [node, *nodes], attributes, version="opset5", outputs=2)
    # 1 x 2 x T x 64: first one direction, then the other.
    states = model.transpose(states, [0, 2, 1, 3])
    return model.layer("Reshape", [states, model.integers([0, 0, 2 * HIDDEN])], {"special_zero": "true"})


def scores(arrays):
    model = Model("speaker_scores")
    features = model.transpose(model.input("features", [1, 128, -1]), [0, 2, 1])
    heard = model.transpose(sound(model, arrays, model.input("cepstra", [1, 1, 13, -1])), [0, 2, 1])
    node = model.layer("Concat", [heard, features], {"axis": 2})
    node = gate(model, arrays, node, "model.fusion.attention.weight", "model.fusion.bn")
    node = detector(model, arrays, node)
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
