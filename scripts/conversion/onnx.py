"""Reads networks in the format of ONNX, a protocol buffer (https://protobuf.dev/programming-guides/encoding)."""

import math
import struct

from conversion.weights import Problem, require

FLOAT = 1

def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if data[at - 1] < 128:
            return value, at


def fields(data):
    """The fields of a message, by number: integers, bytes, or the bits of a float."""
    result, at = {}, 0
    while at < len(data):
        key, at = varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 2:
            length, at = varint(data, at)
            require(at + length <= len(data), "the file is cut short or damaged")
            value, at = data[at : at + length], at + length
        elif kind == 5:
            value, at = data[at : at + 4], at + 4
        elif kind == 1:
            value, at = data[at : at + 8], at + 8
        else:
            raise Problem("the file is damaged")
        result.setdefault(key >> 3, []).append(value)
    return result


def packed(values):
    """A list of integers, packed or not."""
    result = []
    for value in values:
        if isinstance(value, int):
            result.append(value)
            continue
        at = 0
        while at < len(value):
            number, at = varint(value, at)
            result.append(number)
    return result


class Node:
    def __init__(self, data):
        message = fields(data)
        self.inputs = [name.decode() for name in message.get(1, [])]
        self.outputs = [name.decode() for name in message.get(2, [])]
        self.kind = message[4][0].decode()
        self.attributes = {}
        for attribute in map(fields, message.get(5, [])):
            if 8 in attribute:
                value = packed(attribute[8])
            elif 3 in attribute or 5 in attribute:
                value = attribute.get(3, attribute.get(5))[0]
            else:
                value = struct.unpack("<f", attribute[2][0])[0] if 2 in attribute else None
            self.attributes[attribute[1][0].decode()] = value


class Tensor:
    def __init__(self, data):
        message = fields(data)
        require(message.get(2, [0])[0] == FLOAT, "a constant is not of floats")
        self.shape = packed(message.get(1, []))
        raw = b"".join(message[9] if 9 in message else message.get(4, []))
        require(len(raw) == 4 * math.prod(self.shape), "a constant has another size than its shape says")
        self.values = struct.unpack(f"<{len(raw) // 4}f", raw)


class Graph:
    def __init__(self, data):
        graph = fields(fields(data)[7][0])
        self.nodes = [Node(node) for node in graph[1]]
        self.tensors = {}
        for data in graph.get(5, []):
            self.add(fields(data)[8][0].decode(), data)
        for node in self.nodes:
            if node.kind == "Constant":
                self.add(node.outputs[0], node.attributes.get("value"))
        self.input = next(n for n in self.nodes if n.kind == "Conv").inputs[0]

    def add(self, name, data):
        if data and fields(data).get(2, [0])[0] == FLOAT:
            self.tensors[name] = Tensor(data)

    def constant(self, name, *shape):
        require(name in self.tensors and self.tensors[name].shape == list(shape), f"{name} does not have the shape {shape}")
        return list(self.tensors[name].values)

    def only(self, name, kind):
        found = [n for n in self.nodes if n.kind == kind and name in n.inputs]
        require(len(found) == 1, f"{name} goes into {len(found)} operations {kind} instead of one")
        return found[0]

    def relu(self, name):
        return self.only(name, "Relu").outputs[0]
