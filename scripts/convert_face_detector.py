"""Writes the weights of CenterFace's centerface.onnx in the order in which vidscan's network reads them.

    python3 convert_face_detector.py IN.onnx COVERED_FACES.json OUT.weights

The weights are 32-bit floats, little endian. The operations of the original are followed one by one; anything that vidscan's
network would compute differently is an error, never a guess. Batch normalisations are folded into the layers before them.

COVERED_FACES.json has the weights of one more output, the score for covered faces, which scripts/detector/covered_faces.py learns.
"""

import json
import math
import struct
import sys

from conversion.onnx import Graph
from conversion.weights import Problem, Weights, require

# The blocks of MobileNetV2: inputs, channels in between, outputs, stride. The first one has no expansion.
BLOCKS = [
    (32, 32, 16, 1), (16, 96, 24, 2), (24, 144, 24, 1), (24, 144, 32, 2), *[(32, 192, 32, 1)] * 2, (32, 192, 64, 2),
    *[(64, 384, 64, 1)] * 3, (64, 384, 96, 1), *[(96, 576, 96, 1)] * 2, (96, 576, 160, 2), *[(160, 960, 160, 1)] * 2,
    (160, 960, 320, 1),
]  # fmt: skip
# The neck goes up from the last block, and takes in the outputs of these.
NECK = 24
LATERALS = [12, 5, 2]
# The heads' weights in the original, and their outputs.
HEADS = [("head.pos_conv", 1), ("head.reg_conv", 2), ("head.off_conv", 2), ("head.lm_conv", 10)]


class Writer:
    def __init__(self, graph):
        self.graph, self.weights = graph, Weights()

    def convolution(self, node, inputs, outputs, side=1, stride=1, rows_first=False):
        """Adds a convolution. Its inputs are channels × rows × columns, or rows × columns × channels."""
        self.check(node, side, stride, 1)
        values = self.graph.constant(node.inputs[1], outputs, inputs, side, side)
        count = inputs * side * side
        rows = [values[o * count : (o + 1) * count] for o in range(outputs)]
        if rows_first:
            area = side * side
            rows = [[row[c * area + tap] for tap in range(area) for c in range(inputs)] for row in rows]
        self.weights.product(rows, outputs, self.graph.constant(node.inputs[2], outputs))
        return node.outputs[0]

    def check(self, node, side, stride, groups):
        expected = {"kernel_shape": [side] * 2, "strides": [stride] * 2, "pads": [side // 2] * 4, "group": groups}
        require(all(node.attributes.get(k) == v for k, v in expected.items()), "a convolution is of another kind")
        require(node.attributes.get("dilations", [1, 1]) == [1, 1], "a convolution is dilated")

    def block(self, tensor, inputs, channels, outputs, stride, convolution):
        """Adds a block, which begins with this convolution."""
        graph = self.graph
        inner = tensor
        if channels > inputs:
            inner = graph.relu(self.convolution(convolution, inputs, channels))
            convolution = graph.only(inner, "Conv")
        self.check(convolution, 3, stride, channels)
        values = graph.constant(convolution.inputs[1], channels, 1, 3, 3)
        taps = [[values[9 * c + tap] for c in range(channels)] for tap in range(9)]
        self.weights.depthwise(taps, graph.constant(convolution.inputs[2], channels))
        inner = graph.relu(convolution.outputs[0])
        output = self.convolution(graph.only(inner, "Conv"), channels, outputs)
        if inputs == outputs:
            total = graph.only(output, "Add")
            require(set(total.inputs) == {tensor, output}, "a block adds something else than its input")
            output = total.outputs[0]
        return output

    def enlargement(self, tensor):
        """Adds a transposed convolution and the normalisation after it."""
        graph = self.graph
        node = graph.only(tensor, "ConvTranspose")
        expected = {"kernel_shape": [2, 2], "strides": [2, 2], "pads": [0] * 4, "group": 1}
        require(all(node.attributes.get(k) == v for k, v in expected.items()), "a transposed convolution is of another kind")
        values = graph.constant(node.inputs[1], NECK, NECK, 2, 2)
        norm = graph.only(node.outputs[0], "BatchNormalization")
        weight, bias, mean, variance = (graph.constant(name, NECK) for name in norm.inputs[1:])
        scale = [w / math.sqrt(v + norm.attributes["epsilon"]) for w, v in zip(weight, variance)]
        shift = [b - m * s for b, m, s in zip(bias, mean, scale)]
        for part in range(4):
            rows = [[values[(i * NECK + o) * 4 + part] * scale[o] for i in range(NECK)] for o in range(NECK)]
            self.weights.product(rows, NECK, shift)
        return graph.relu(norm.outputs[0])


def convert(data, covered):
    graph = Graph(data)
    writer = Writer(graph)
    tensor = graph.relu(writer.convolution(graph.only(graph.input, "Conv"), 3, 32, side=3, stride=2))
    tensors = []
    for block in BLOCKS:
        # The convolutions of the neck also read some blocks' outputs.
        found = [n for n in graph.nodes if n.kind == "Conv" and tensor in n.inputs]
        wanted = 3 if block[0] == block[1] else 1
        found = [n for n in found if n.attributes["kernel_shape"] == [wanted] * 2 and graph.tensors[n.inputs[1]].shape[0] == block[1]]
        require(len(found) == 1, "a block does not follow the one before")
        tensor = writer.block(tensor, *block, found[0])
        tensors.append(tensor)

    up = graph.relu(writer.convolution(graph.only(tensor, "Conv"), BLOCKS[-1][2], NECK))
    for number in LATERALS:
        up = writer.enlargement(up)
        found = [n for n in graph.nodes if n.kind == "Conv" and tensors[number] in n.inputs]
        found = [n for n in found if graph.tensors[n.inputs[1]].shape[0] == NECK]
        require(len(found) == 1, "the neck takes in something else")
        side = graph.relu(writer.convolution(found[0], BLOCKS[number][2], NECK))
        total = graph.only(up, "Add")
        require(set(total.inputs) == {up, side}, "the neck adds something else")
        up = total.outputs[0]
    last = graph.relu(writer.convolution(graph.only(up, "Conv"), NECK, NECK, side=3, rows_first=True))
    rows, bias = [], []
    for name, outputs in HEADS:
        require(any(n.inputs[:2] == [last, name + ".weight"] for n in graph.nodes), f"there is no {name}")
        values = graph.constant(name + ".weight", outputs, NECK, 1, 1)
        rows += [values[o * NECK : (o + 1) * NECK] for o in range(outputs)]
        bias += graph.constant(name + ".bias", outputs)
    rows.append(covered["weights"])
    bias.append(covered["bias"])
    require(len(rows[-1]) == NECK, "the score for covered faces has another number of weights")
    writer.weights.product(rows, len(rows), bias)
    return writer.weights


def main(original, covered, weights):
    with open(original, "rb") as file:
        data = file.read()
    with open(covered) as file:
        score = json.load(file)
    try:
        result = convert(data, score)
    except (Problem, struct.error, IndexError, KeyError, StopIteration, ValueError) as error:
        sys.exit(f"convert_face_detector: {original}: {error or type(error).__name__}")
    result.write(weights)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit("usage: convert_face_detector.py IN.onnx COVERED_FACES.json OUT.weights")
    main(*sys.argv[1:])
