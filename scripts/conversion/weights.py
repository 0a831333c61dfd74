"""What both converters of networks share: weights in the order in which vidscan's layers read them."""

import struct

LANES = 16


class Problem(Exception):
    """The file is not the one that vidscan knows."""


def require(condition, what):
    if not condition:
        raise Problem(what)


class Weights:
    """32-bit floats, little endian."""

    def __init__(self):
        self.values = []

    def product(self, weights, outputs, bias):
        """Adds a matrix and a bias.

        weights[o] holds the weights of all inputs for output o. The outputs are filled up with zeros to a multiple of 16, and each
        16 of them have a matrix of their own, inputs × 16.
        """
        require(len(weights) == outputs == len(bias), "a layer has another number of outputs")
        missing = -outputs % LANES
        rows = weights + [[0.0] * len(weights[0])] * missing
        for first in range(0, len(rows), LANES):
            for inputs in zip(*rows[first : first + LANES]):
                self.values += inputs
        self.values += bias + [0.0] * missing

    def depthwise(self, taps, bias):
        """Adds a depthwise convolution: for each of the nine taps, the weights of all channels."""
        require(len(taps) == 9 and all(len(tap) == len(bias) for tap in taps), "a depthwise convolution has another size")
        for tap in taps:
            self.values += tap
        self.values += bias

    def write(self, path):
        with open(path, "wb") as file:
            file.write(struct.pack(f"<{len(self.values)}f", *self.values))
