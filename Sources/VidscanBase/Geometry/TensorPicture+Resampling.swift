internal import CPixels

extension TensorPicture {
    /// Shrinks the frame into another tensor: each pixel is the mean of the area that it covers.
    ///
    /// - Parameters:
    ///   - target: The size of the result, at least 1 × 1. The proportions may change.
    ///   - tensorSize: The size of a plane of the other tensor, at least `target`. What lies outside `target` becomes 0.
    ///   - tensor: Room for 3 · `tensorSize.width` · `tensorSize.height` floats.
    public func resample(to target: PictureSize, tensorSize: PictureSize, into tensor: UnsafeMutablePointer<Float>) {
        precondition(target.width <= tensorSize.width && target.height <= tensorSize.height)
        let planeLength = tensorSize.width * tensorSize.height
        if target != tensorSize { tensor.update(repeating: 0, count: 3 * planeLength) }
        let down = Coverage(samples: size.height, outputs: target.height)
        let across = Coverage(samples: size.width, outputs: target.width)
        let filter = RowFilter(first: across.first, offset: across.offset) { across.weight[$0] }
        let kernels = vs_best_kernels().pointee
        let lineLength = max(size.width, filter.sampleCapacity)
        withUnsafeTemporaryAllocation(of: Float.self, capacity: lineLength + filter.outputCapacity) { scratch in
            scratch.initialize(repeating: 0)
            guard let line = scratch.baseAddress else { return }
            let outputs = line + lineLength
            for plane in 0..<3 {
                for row in 0..<target.height {
                    down.weights(of: row).withUnsafeBufferPointer { weights in
                        kernels.sum_float_rows(
                            base + plane * planeStride + down.first[row] * rowStride, rowStride, size.width,
                            weights.baseAddress, weights.count, line)
                    }
                    filter.apply(to: line, into: outputs)
                    (tensor + plane * planeLength + row * tensorSize.width)
                        .update(from: outputs, count: target.width)
                }
            }
        }
    }

    /// The samples of one axis that each output covers, with their shares, which sum to 1.
    private struct Coverage {
        var first: [Int] = []
        /// The position of each output's first share in `weight`, and the count of all shares.
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

        func weights(of output: Int) -> ArraySlice<Float> { weight[offset[output]..<offset[output + 1]] }
    }
}
