"""Writes networks in OpenVINO's format (IR): https://docs.openvino.ai/2026/documentation/openvino-ir-format.html."""

import math
import struct
from xml.etree import ElementTree

from conversion.weights import require


class Array:
    """A tensor of 32-bit floats in row-major order."""

    def __init__(self, shape, values):
        self.shape, self.values = tuple(shape), list(values)
        require(len(self.values) == math.prod(self.shape), "a tensor has another size than its shape says")


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

    def convolve(self, node, weights, stride, padding=None):
        rank = len(weights.shape) - 2
        padding = [size // 2 for size in weights.shape[2:]] if padding is None else padding
        ones, pads = ",".join(["1"] * rank), ",".join(map(str, padding))
        attributes = {
            "strides": ",".join(map(str, stride)), "dilations": ones, "pads_begin": pads, "pads_end": pads,
            "auto_pad": "explicit",
        }  # fmt: skip
        return self.layer("Convolution", [node, self.floats(weights)], attributes)

    def add(self, node, bias, shape):
        return self.layer("Add", [node, self.floats(Array(shape, bias))], {"auto_broadcast": "numpy"})

    def activated(self, node, weights, bias, stride, padding=None):
        """A convolution with a bias and a ReLU."""
        node = self.convolve(node, weights, stride, padding)
        return self.layer("ReLU", [self.add(node, bias, [1, weights.shape[0]] + [1] * (len(weights.shape) - 2))])

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

    def every(self, step, node, axis):
        """Each step-th value along an axis."""
        ends = [[0], [1 << 30], [step], [axis]]
        return self.layer("Slice", [node, *map(self.integers, ends)], version="opset8")

    def transpose(self, node, order):
        return self.layer("Transpose", [node, self.integers(order)])

    def product(self, node, weights, bias):
        """1 x T x n times the transposed weights, m x n, plus the bias: 1 x T x m."""
        attributes = {"transpose_a": "false", "transpose_b": "true"}
        node = self.layer("MatMul", [node, self.floats(weights)], attributes)
        return self.add(node, bias, [1, 1, len(bias)])

    def write(self, path):
        ElementTree.indent(self.root)
        ElementTree.ElementTree(self.root).write(path + ".xml", encoding="utf-8", xml_declaration=True)
        with open(path + ".bin", "wb") as file:
            file.write(self.data)
