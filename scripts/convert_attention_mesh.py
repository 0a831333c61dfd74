"""Writes the weights of MediaPipe's face_landmark_with_attention.tflite in the order in which vidscan's network reads them.

    python3 convert_attention_mesh.py IN.tflite OUT.json OUT.weights

The weights are 32-bit floats, little endian: of the trunk, of the points, of the presence, and then of each part of the face
that the network looks at again. The JSON file says which points belong to a part, and where its picture is cut. The operations
of the original are followed one by one; anything that vidscan's network would compute differently is an error, never a guess.
Two formats are involved, both little endian: the model is a FlatBuffer (https://flatbuffers.dev/internals), the attributes of
a custom operation are a FlexBuffer inside it.
"""

import json
import struct
import sys

from conversion.weights import Problem, Weights, require

# The trunk's blocks: inputs, outputs, stride. A part's picture is cut from the output of the third one.
TRUNK = [
    *[(16, 16, 1)] * 2, (16, 32, 2), *[(32, 32, 1)] * 2, (32, 64, 2), *[(64, 64, 1)] * 2, (64, 128, 2),
    *[(128, 128, 1)] * 2, (128, 128, 2), *[(128, 128, 1)] * 2, (128, 128, 2), *[(128, 128, 1)] * 2,
]  # fmt: skip
FEATURES = 3
PART = [*[(32, 32, 1)] * 2, (32, 64, 2), *[(64, 64, 1)] * 2, (64, 128, 2)]
BRANCH = [*[(128, 128, 1)] * 2, (128, 128, 2), *[(128, 128, 1)] * 2]
REDUCED = 32
# Their names in the original, with the points at both ends of the line along which each part lies.
PARTS = [
    {"left": 61, "right": 291, "outputs": ["output_lips"]},
    {"left": 33, "right": 133, "outputs": ["output_left_eye", "output_left_iris"]},
    {"left": 362, "right": 263, "outputs": ["output_right_eye", "output_right_iris"]},
]
GRID = 16

# Numbers of the TensorFlow Lite schema, version 3.
ADD, CONVOLUTION, DEPTHWISE, DEQUANTIZE, MAX_POOL, MULTIPLY, RESHAPE, CUSTOM, PAD, PRELU = 0, 3, 4, 6, 17, 18, 22, 32, 34, 54
FLOAT16 = 1


class Table:
    """A table of a FlatBuffer: fields found through its vtable, by their number in the schema."""

    def __init__(self, data, position):
        self.data, self.position = data, position
        self.vtable = position - struct.unpack_from("<i", data, position)[0]

    def field(self, number):
        """Where the field's value lies, or None where the table has none."""
        slot = 4 + 2 * number
        if slot >= struct.unpack_from("<H", self.data, self.vtable)[0]:
            return None
        offset = struct.unpack_from("<H", self.data, self.vtable + slot)[0]
        return self.position + offset if offset else None

    def number(self, number, form, missing=0):
        at = self.field(number)
        return missing if at is None else struct.unpack_from("<" + form, self.data, at)[0]

    def follow(self, at):
        return at + struct.unpack_from("<I", self.data, at)[0]

    def table(self, number):
        at = self.field(number)
        return None if at is None else Table(self.data, self.follow(at))

    def values(self, number, form):
        at = self.field(number)
        if at is None:
            return []
        start = self.follow(at)
        count = struct.unpack_from("<I", self.data, start)[0]
        return list(struct.unpack_from(f"<{count}{form}", self.data, start + 4))

    def bytes(self, number):
        return bytes(self.values(number, "B"))

    def tables(self, number):
        at = self.field(number)
        start = self.follow(at)
        count = struct.unpack_from("<I", self.data, start)[0]
        return [Table(self.data, self.follow(start + 4 + 4 * i)) for i in range(count)]


def flex_map(data):
    """A FlexBuffer whose root is a map of numbers and of lists of numbers.

    A value's packed type is type << 2 | log2 of its width in bytes; containers are reached by an offset back from where it is
    stored, and have their length in the word before their first element.
    """

    def scalar(at, width, kind):
        forms = {1: "bhiq", 2: "BHIQ", 3: "__fd", 26: "BHIQ"}
        require(kind in forms, "an attribute of a custom operation has an unknown type")
        return struct.unpack_from("<" + forms[kind][width.bit_length() - 1], data, at)[0]

    def back(at, width):
        return at - scalar(at, width, 2)

    def value(at, width, packed):
        kind = packed >> 2
        if kind in (1, 2, 3, 26):
            return scalar(at, width, kind)
        inner = 1 << (packed & 3)
        first = back(at, width)
        count = scalar(first - inner, inner, 2)
        # In a list of mixed elements, their packed types follow the last one.
        kinds = [data[first + count * inner + i] >> 2 for i in range(count)] if kind == 10 else [kind - 10] * count
        return [scalar(first + i * inner, inner, kinds[i]) for i in range(count)]

    root_width, root = data[-1], data[-2]
    require(root >> 2 == 9, "the attributes of a custom operation are no map")
    first, width = back(len(data) - 2 - root_width, root_width), 1 << (root & 3)
    count = scalar(first - width, width, 2)
    keys, key_width = back(first - 3 * width, width), scalar(first - 2 * width, width, 2)
    result = {}
    for i in range(count):
        name = back(keys + i * key_width, key_width)
        result[data[name : data.index(0, name)].decode()] = value(first + i * width, width, data[first + count * width + i])
    return result


class Operation:
    def __init__(self, table, codes):
        code = codes[table.number(0, "I")]
        self.kind = max(code.number(0, "b"), code.number(3, "i"))
        self.name = code.bytes(1).decode()
        self.inputs, self.outputs = table.values(1, "i"), table.values(2, "i")
        self.options, self.attributes = table.table(4), table.bytes(5)

    def strides(self, first):
        """The horizontal and vertical stride, from the number of the first's field on."""
        return self.options.number(first, "i"), self.options.number(first + 1, "i")


class Graph:
    def __init__(self, data):
        model = Table(data, struct.unpack_from("<I", data)[0])
        graph = model.tables(2)[0]
        self.buffers = model.tables(4)
        self.tensors = graph.tables(0)
        operations = [Operation(table, model.tables(1)) for table in graph.tables(3)]
        self.stored = {o.outputs[0]: o.inputs[0] for o in operations if o.kind == DEQUANTIZE}
        self.operations = [o for o in operations if o.kind != DEQUANTIZE]
        self.input = graph.values(1, "i")[0]
        self.named = {self.tensors[i].bytes(3).decode(): i for i in graph.values(2, "i")}

    def shape(self, tensor):
        return self.tensors[tensor].values(0, "i")

    def constant(self, tensor, shape):
        """The values of a constant, flat."""
        stored = self.tensors[self.stored.get(tensor, tensor)]
        require(stored.number(1, "b") == FLOAT16, "a constant is not of 16-bit floats")
        require(self.shape(tensor) == list(shape), f"a constant has the shape {self.shape(tensor)} instead of {list(shape)}")
        data = self.buffers[stored.number(2, "I")].bytes(0)
        return list(struct.unpack(f"<{len(data) // 2}e", data))

    def consumers(self, tensor, kind):
        return [o for o in self.operations if o.kind == kind and tensor in o.inputs]

    def only(self, tensor, kind):
        found = self.consumers(tensor, kind)
        require(len(found) == 1, f"a tensor goes into {len(found)} operations of kind {kind} instead of one")
        return found[0]

    def producer(self, tensor):
        return next(o for o in self.operations if tensor in o.outputs)


class Writer:
    """Follows the network and collects its weights. Tensors are named by their number."""

    def __init__(self, graph):
        self.graph, self.weights = graph, Weights()

    def convolution(self, operation, inputs, outputs, side, stride, unit=1):
        """Adds a convolution, whose inputs are rows × columns × channels. They are `unit` times as large as the original's."""
        require(operation.strides(1) == (stride, stride), "a convolution has another stride")
        require(operation.options.number(3, "b") == 0, "a convolution has an activation")
        values = self.graph.constant(operation.inputs[1], (outputs, side, side, inputs))
        count = side * side * inputs
        rows = [[value / unit for value in values[o * count : (o + 1) * count]] for o in range(outputs)]
        self.weights.product(rows, outputs, self.graph.constant(operation.inputs[2], (outputs,)))
        return operation.outputs[0]

    def rectified(self, tensor, channels):
        operation = self.graph.only(tensor, PRELU)
        self.weights.values += self.graph.constant(operation.inputs[1], (1, 1, channels))
        return operation.outputs[0]

    def block(self, tensor, inputs, outputs, stride, depthwise=None):
        depthwise = depthwise or self.graph.only(tensor, DEPTHWISE)
        require(depthwise.strides(1) == (stride, stride), "a depthwise convolution has another stride")
        require(depthwise.options.number(0, "b") == 0, "a depthwise convolution has another padding")
        require(depthwise.options.number(4, "b") == 0, "a depthwise convolution has an activation")
        values = self.graph.constant(depthwise.inputs[1], (1, 3, 3, inputs))
        taps = [values[first : first + inputs] for first in range(0, len(values), inputs)]
        self.weights.depthwise(taps, self.graph.constant(depthwise.inputs[2], (inputs,)))
        pointwise = self.convolution(self.graph.only(depthwise.outputs[0], CONVOLUTION), inputs, outputs, 1, 1)
        total = self.graph.only(pointwise, ADD)
        other = next(t for t in total.inputs if t != pointwise)
        if outputs > inputs:
            pad = self.graph.producer(other)
            require(pad.kind == PAD, "a block adds something else than its padded input")
            other = pad.inputs[0]
        if stride == 2:
            pool = self.graph.producer(other)
            require(pool.kind == MAX_POOL and pool.strides(1) == (2, 2), "a block adds something else than its pooled input")
            require((pool.options.number(3, "i"), pool.options.number(4, "i")) == (2, 2), "a pool has another size")
            other = pool.inputs[0]
        require(other == tensor, "a block adds something else than its input")
        return self.rectified(total.outputs[0], outputs)

    def blocks(self, tensor, blocks, first=None):
        for number, block in enumerate(blocks):
            tensor = self.block(tensor, *block, depthwise=first if number == 0 else None)
        return tensor

    def reduced(self, tensor):
        tensor = self.convolution(self.graph.only(tensor, CONVOLUTION), 128, REDUCED, 1, 1)
        return self.block(self.rectified(tensor, REDUCED), REDUCED, REDUCED, 1)

    def dense(self, tensor, side, outputs):
        found = [o for o in self.graph.consumers(tensor, CONVOLUTION) if self.graph.shape(o.outputs[0])[-1] == outputs]
        require(len(found) == 1, f"there is no layer of {outputs} outputs")
        return self.convolution(found[0], REDUCED, outputs, side, side)


def leads(graph, tensor, output):
    """Whether the graph's output of this name is computed from the tensor."""
    reached = {tensor}
    for operation in graph.operations:
        if reached & set(operation.inputs):
            reached.update(operation.outputs)
    return graph.named[output] in reached


def convert(data):
    graph = Graph(data)
    writer = Writer(graph)
    stem = writer.convolution(graph.only(graph.input, CONVOLUTION), 3, 16, 3, 2, unit=255)
    features = writer.blocks(writer.rectified(stem, 16), TRUNK[:FEATURES])
    trunk = writer.reduced(writer.blocks(features, TRUNK[FEATURES:]))
    points = writer.dense(trunk, 3, 3 * 468)
    writer.dense(trunk, 3, 1)

    parts = []
    for part in PARTS:
        for box in (o for o in graph.operations if o.name == "Landmarks2TransformMatrix"):
            attributes = flex_map(box.attributes)
            if attributes["left_rotation_idx"] == part["left"]:
                break
        else:
            raise Problem(f"there is no part at point {part['left']}")
        expected = {"right_rotation_idx": part["right"], "output_width": GRID, "output_height": GRID}
        expected["target_rotation_radians"] = 0
        require(all(attributes[k] == v for k, v in expected.items()), "a part is cut in another way")
        require(attributes["scale_x"] == attributes["scale_y"], "a part is not cut evenly")
        # The points are in pixels of the picture, and the features are a quarter as wide and high.
        scaled = graph.producer(box.inputs[0])
        require(scaled.kind == MULTIPLY and graph.constant(scaled.inputs[1], (1,)) == [0.25], "the features have another size")
        require(graph.producer(scaled.inputs[0]).inputs[0] == points, "a part is cut around other points")
        sample = next(o for o in graph.operations if o.name == "TransformTensorBilinear" and box.outputs[0] in o.inputs)
        require(sample.inputs == [features, box.outputs[0]], "a part is cut from other features")
        back = graph.constant(graph.only(box.outputs[0], MULTIPLY).inputs[1], (1, 4, 4))
        require(back[:8] == [1, 1, 4, 4, 1, 1, 4, 4], "the points of a part are placed in another way")
        head = writer.blocks(sample.outputs[0], PART)
        outputs = []
        for name in part["outputs"]:
            count = graph.shape(graph.named[name])[-1]
            branch = next(o for o in graph.consumers(head, DEPTHWISE) if leads(graph, o.outputs[0], name))
            writer.dense(writer.reduced(writer.blocks(head, BRANCH, first=branch)), 2, count)
            outputs.append(count // 2)
        indices = attributes["subset_idxs"]
        require(len(indices) == outputs[0], "a part has as many outputs as points")
        parts.append({k: part[k] for k in ("left", "right")} | {"scale": attributes["scale_x"], "points": indices})
    return {"weights": len(writer.weights.values), "parts": parts}, writer.weights


def main(original, description, weights):
    with open(original, "rb") as file:
        data = file.read()
    try:
        result, values = convert(data)
    except (Problem, struct.error, IndexError, KeyError, StopIteration, ValueError) as error:
        sys.exit(f"convert_attention_mesh: {original}: {error or type(error).__name__}")
    values.write(weights)
    with open(description, "w") as file:
        json.dump(result, file, separators=(",", ":"))
        file.write("\n")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit("usage: convert_attention_mesh.py IN.tflite OUT.json OUT.weights")
    main(*sys.argv[1:])
