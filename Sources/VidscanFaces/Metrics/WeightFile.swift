internal import CNetwork
internal import Foundation

/// The arrays of `expressions.weights`: little-endian 32-bit floats.
struct WeightFile {
    struct Array: Decodable {
        var offset: Int
        var shape: [Int]
    }

    let arrays: [String: Array]
    let bytes: Data

    func array(_ name: String, count: Int) throws(ExpressionModelError) -> [Float] {
        guard let array = arrays[name], array.shape.reduce(1, *) == count, array.offset >= 0,
            array.offset + 4 * count <= bytes.count
        else { throw ExpressionModelError(reason: "expressions.weights does not contain \(count) numbers of \(name)") }
        return bytes.withUnsafeBytes { bytes in
            (0..<count).map {
                Float(
                    bitPattern: UInt32(
                        littleEndian: bytes.loadUnaligned(fromByteOffset: array.offset + 4 * $0, as: UInt32.self)))
            }
        }
    }

    /// Reads successive layers. `inputs` counts the first one's inputs, and on return the last one's outputs; `taps`
    /// counts the weights for each input and output: 1, or those of a convolution.
    func layers(_ names: [String], inputs: inout Int, taps: Int = 1) throws(ExpressionModelError) -> [NetworkLayer] {
        var layers: [NetworkLayer] = []
        for name in names {
            guard let outputs = arrays[name + ".bias"]?.shape.first else {
                throw ExpressionModelError(reason: "expressions.weights does not contain \(name)")
            }
            layers.append(
                NetworkLayer(
                    weights: try array(name + ".weight", count: taps * inputs * outputs),
                    bias: try array(name + ".bias", count: outputs)))
            inputs = outputs
        }
        return layers
    }
}

/// Adds its terms in a fixed order, so that the results do not depend on the processor.
struct NetworkLayer: Sendable {
    /// Inputs × outputs; for a convolution, 3 rows × 3 columns × inputs × outputs.
    var weights: [Float]
    var bias: [Float]

    static let kernels = vs_best_network_kernels().pointee

    func multiply(_ input: [Float]) -> [Float] {
        var sums = bias
        Self.kernels.add_products(input, input.count, weights, bias.count, &sums)
        return sums
    }
}
