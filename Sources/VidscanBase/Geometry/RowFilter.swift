internal import CPixels

/// A filter along a row: each output is a weighted sum of consecutive samples.
///
/// It adds in a fixed order, so that its results are the same on every processor.
package struct RowFilter {
    /// The floats that `apply` reads from a row, at least. Those after the last sample must be finite.
    package let sampleCapacity: Int
    /// The floats that `apply` writes: the number of outputs, rounded up to a multiple of 8.
    package let outputCapacity: Int

    private let taps: Int
    private let first: [Int32]
    private let weights: [Float]
    private let kernels = vs_best_kernels().pointee

    /// - Parameters:
    ///   - first: The first sample of each output.
    ///   - offset: The position of each output's first weight, and the number of all weights.
    ///   - weight: Returns the weight at a position.
    package init(first: [Int], offset: [Int], weight: (Int) -> Float) {
        let count = (first.count + 7) / 8 * 8
        let longest = zip(offset, offset.dropFirst()).map { $1 - $0 }.max() ?? 0
        let taps = (longest + 3) / 4 * 4
        var positions = [Int32](repeating: 0, count: count)
        var weights = [Float](repeating: 0, count: count * taps)
        for output in first.indices {
            positions[output] = Int32(first[output])
            for tap in 0..<(offset[output + 1] - offset[output]) {
                // The order in which the kernel reads them.
                let (block, lane) = (output / 8, output % 8)
                weights[(block * taps + tap / 4 * 4) * 8 + (lane % 4) * 8 + lane / 4 * 4 + tap % 4] =
                    weight(offset[output] + tap)
            }
        }
        self.taps = taps
        self.first = positions
        self.weights = weights
        sampleCapacity = (first.max() ?? 0) + taps
        outputCapacity = count
    }

    /// Filters a row.
    ///
    /// - Parameters:
    ///   - samples: Room for `sampleCapacity` floats.
    ///   - outputs: Room for `outputCapacity` floats. They must not overlap the samples.
    package func apply(to samples: UnsafePointer<Float>, into outputs: UnsafeMutablePointer<Float>) {
        first.withUnsafeBufferPointer { first in
            weights.withUnsafeBufferPointer { weights in
                var filter = vs_filter(
                    count: outputCapacity, taps: taps, first: first.baseAddress, weights: weights.baseAddress)
                kernels.filter(samples, &filter, outputs)
            }
        }
    }
}
