internal import CPixels

/// A filter along a row: each output is a weighted sum of consecutive samples, in the same order on all processors.
package struct RowFilter {
    /// The minimum number of floats that `apply` reads. Those after the last sample must be finite.
    package let sampleCapacity: Int
    /// The number of floats that `apply` writes: the outputs, rounded up to a multiple of 8.
    package let outputCapacity: Int

    private let taps: Int
    private let first: [Int32]
    private let weights: [Float]
    private let kernels = vs_best_kernels().pointee

    /// `first`: the first sample of each output. `offset`: each output's first weight, then the number of all weights.
    package init(first: [Int], offset: [Int], weight: (Int) -> Float) {
        let count = (first.count + 7) / 8 * 8
        let longest = zip(offset, offset.dropFirst()).map { $1 - $0 }.max() ?? 0
        let taps = (longest + 3) / 4 * 4
        var positions = [Int32](repeating: 0, count: count)
        var weights = [Float](repeating: 0, count: count * taps)
        for output in first.indices {
            positions[output] = Int32(first[output])
            for tap in 0..<(offset[output + 1] - offset[output]) {
                // The kernel reads them in this order.
                let (block, lane) = (output / 8, output % 8)
                weights[(block * taps + tap / 4 * 4) * 8 + (lane % 4) * 8 + lane / 4 * 4 + tap % 4] =
                    weight(offset[output] + tap)
            }
        }
        (self.taps, self.first, self.weights) = (taps, positions, weights)
        sampleCapacity = (first.max() ?? 0) + taps
        outputCapacity = count
    }

    /// Returns at least the samples that these outputs need: whole blocks of 8, at least one.
    package func samples(of outputs: Range<Int>) -> Range<Int> {
        let first = first[outputs]
        return Int(first.min() ?? 0)..<Int(first.max() ?? 0) + taps
    }

    /// `samples`: `sampleCapacity` floats. `outputs`: room for `outputCapacity` floats; must not overlap the samples.
    /// `part`: the outputs to write, in whole blocks of 8; `nil` for all.
    package func apply(
        to samples: UnsafePointer<Float>, into outputs: UnsafeMutablePointer<Float>, part: Range<Int>? = nil
    ) {
        let part = part ?? 0..<outputCapacity
        precondition(part.lowerBound % 8 == 0 && part.count % 8 == 0 && part.upperBound <= outputCapacity)
        first.withUnsafeBufferPointer { first in
            weights.withUnsafeBufferPointer { weights in
                var filter = vs_filter(
                    count: part.count, taps: taps, first: first.baseAddress.map { $0 + part.lowerBound },
                    weights: weights.baseAddress.map { $0 + part.lowerBound * taps })
                kernels.filter(samples, &filter, outputs + part.lowerBound)
            }
        }
    }
}
