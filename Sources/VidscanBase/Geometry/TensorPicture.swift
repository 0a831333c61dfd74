internal import CPixels

/// A frame in a detector's input tensor, which owns the memory: three planes R', G', B' in 0…255, row by row.
package struct TensorPicture {
    @usableFromInline let base: UnsafePointer<Float>
    // Strides are in floats.
    @usableFromInline let rowStride, planeStride: Int
    /// The frame starts at the tensor's top left corner; the rest is padding.
    package let size: PictureSize

    /// - Parameters:
    ///   - base: The first of 3 · `tensorSize.width` · `tensorSize.height` floats.
    ///   - size: At least 1 × 1, at most `tensorSize`.
    package init(base: UnsafePointer<Float>, size: PictureSize, tensorSize: PictureSize) {
        precondition(size.width <= tensorSize.width && size.height <= tensorSize.height)
        (self.base, self.size) = (base, size)
        (rowStride, planeStride) = (tensorSize.width, tensorSize.width * tensorSize.height)
    }

    @inlinable package func color(x: Int, y: Int) -> SIMD3<Float> {
        let pixel = base + y * rowStride + x
        return SIMD3(pixel[0], pixel[planeStride], pixel[2 * planeStride])
    }

    package func row(_ y: Int) -> (red: UnsafePointer<Float>, green: UnsafePointer<Float>, blue: UnsafePointer<Float>) {
        let red = base + y * rowStride
        return (red, red + planeStride, red + 2 * planeStride)
    }

    /// Writes the luma of a row, 0…255, `size.width` floats. Returns its sum, added in a fixed order.
    @discardableResult package func writeLuma(ofRow y: Int, to target: UnsafeMutablePointer<Float>) -> Float {
        let row = row(y)
        var lanes = SIMD8<Float>.zero
        withUnsafeMutableBytes(of: &lanes) { lanes in
            guard let lanes = lanes.baseAddress?.assumingMemoryBound(to: Float.self) else { return }
            Self.kernels.write_luma(row.red, row.green, row.blue, size.width, target, lanes)
        }
        return (size.width / 8 * 8..<size.width).reduce(lanes.sum()) { $0 + target[$1] }
    }

    private static let kernels = vs_best_kernels().pointee

    /// The weights of R', G', B' in luma: ITU-R BT.601.
    @inlinable package static var lumaWeights: SIMD3<Float> { SIMD3(0.299, 0.587, 0.114) }

    /// Shrinks the frame into another tensor: each pixel is the mean of the area that it covers.
    ///
    /// - Parameters:
    ///   - target: At least 1 × 1. The proportions may change.
    ///   - tensorSize: At least `target`. The rest becomes 0.
    ///   - tensor: Room for 3 · `tensorSize.width` · `tensorSize.height` floats.
    package func resample(to target: PictureSize, tensorSize: PictureSize, into tensor: UnsafeMutablePointer<Float>) {
        precondition(target.width <= tensorSize.width && target.height <= tensorSize.height)
        let planeLength = tensorSize.width * tensorSize.height
        if target != tensorSize { tensor.update(repeating: 0, count: 3 * planeLength) }
        let down = Coverage(samples: size.height, outputs: target.height)
        let across = Coverage(samples: size.width, outputs: target.width)
        let filter = RowFilter(first: across.first, offset: across.offset) { across.weight[$0] }
        let lineLength = max(size.width, filter.sampleCapacity)
        withUnsafeTemporaryAllocation(of: Float.self, capacity: lineLength + filter.outputCapacity) { scratch in
            scratch.initialize(repeating: 0)
            guard let line = scratch.baseAddress else { return }
            let outputs = line + lineLength
            for plane in 0..<3 {
                for row in 0..<target.height {
                    down.weight[down.offset[row]..<down.offset[row + 1]].withUnsafeBufferPointer { weights in
                        Self.kernels.sum_float_rows(
                            base + plane * planeStride + down.first[row] * rowStride, rowStride, size.width,
                            weights.baseAddress, weights.count, line)
                    }
                    filter.apply(to: line, into: outputs)
                    (tensor + plane * planeLength + row * tensorSize.width).update(from: outputs, count: target.width)
                }
            }
        }
    }

    /// The samples of one axis that each output covers. The weights of an output sum to 1.
    private struct Coverage {
        var first: [Int] = []
        /// The index of each output's first weight, then the number of all weights.
        var offset = [0]
        var weight: [Float] = []

        init(samples: Int, outputs: Int) {
            let step = Double(samples) / Double(outputs)
            for output in 0..<outputs {
                let (low, high) = (Double(output) * step, Double(output + 1) * step)
                let begin = min(Int(low), samples - 1)
                let end = min(max(Int(high.rounded(.up)), begin + 1), samples)
                first.append(begin)
                for sample in begin..<end {
                    weight.append(Float((min(Double(sample + 1), high) - max(Double(sample), low)) / step))
                }
                offset.append(weight.count)
            }
        }
    }
}

/// Some rows of a picture, from one column to another.
package struct PictureRegion: Sendable, Equatable {
    /// One value for each row of the picture.
    package var rows: [Bool]
    package var columns: Range<Int>

    package init(rows: [Bool], columns: Range<Int>) { (self.rows, self.columns) = (rows, columns) }

    package init(of size: PictureSize) { self.init(rows: [Bool](repeating: false, count: size.height), columns: 0..<0) }

    package mutating func add(row: Int, columns other: Range<Int>) {
        guard !other.isEmpty else { return }
        rows[row] = true
        columns =
            columns.isEmpty
            ? other : min(columns.lowerBound, other.lowerBound)..<max(columns.upperBound, other.upperBound)
    }
}

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
