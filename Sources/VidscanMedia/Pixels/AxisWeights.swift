internal import VidscanBase

/// The samples of one axis that contribute to each output, and their weights: a box filter as wide as an output, and at
/// least as wide as a sample. It averages areas when it shrinks and interpolates linearly when it enlarges.
///
/// Weights are in units of 1/256 and their sum is exactly 1, so that a constant image stays constant to the last bit.
struct AxisWeights {
    /// The first sample of each output.
    private(set) var first: [Int] = []
    /// The position of each output's first weight in `weights`, and the count of all weights.
    private(set) var offset: [Int] = [0]
    private(set) var weights: [UInt16] = []

    var count: Int { first.count }

    /// - Parameters:
    ///   - samples: on this axis; sample i covers i ..< i + 1.
    ///   - length: of the axis in samples. It may end within the last sample, as in the chroma of an image of odd size.
    ///   - outputs: the number of outputs that divide the length evenly.
    ///   - offset: added to every position, in samples.
    init(samples: Int, length: Double, outputs: Int, offset: Double = 0) {
        let scale = length / Double(outputs)
        let reach = max(scale, 1) / 2
        for output in 0..<outputs {
            let center = (Double(output) + 0.5) * scale + offset
            let low = center - reach
            let high = center + reach
            let begin = min(max(Int(low.rounded(.down)), 0), samples - 1)
            let end = min(max(Int(high.rounded(.up)) - 1, begin), samples - 1)
            append(from: low, to: high, begin: begin, end: end)
        }
    }

    func span(of output: Int) -> ArraySlice<UInt16> { weights[offset[output]..<offset[output + 1]] }

    /// The weights as a filter of rows that were summed with weights in units of 1/256: its outputs are in the unit of the
    /// samples.
    func rowFilter(isMirrored: Bool) -> RowFilter {
        let order = isMirrored ? Array((0..<count).reversed()) : Array(0..<count)
        var offsets = [0]
        var ordered: [UInt16] = []
        for output in order {
            ordered.append(contentsOf: span(of: output))
            offsets.append(ordered.count)
        }
        return RowFilter(first: order.map { first[$0] }, offset: offsets) { Float(ordered[$0]) * (1 / 65536) }
    }

    /// Divides 256 in proportion to the overlaps. The part outside the image counts for the sample at its edge. The running
    /// total is rounded, so that the sum stays exact.
    private mutating func append(from low: Double, to high: Double, begin: Int, end: Int) {
        var total: UInt16 = 0
        var values: [UInt16] = []
        for sample in begin...end {
            let covered = sample == end ? 1 : (min(Double(sample + 1), high) - low) / (high - low)
            let running = UInt16((256 * min(max(covered, 0), 1)).rounded())
            values.append(running - total)
            total = running
        }
        let leading = values.prefix { $0 == 0 }.count
        while values.last == 0 { values.removeLast() }
        first.append(begin + leading)
        weights.append(contentsOf: values.dropFirst(leading))
        offset.append(weights.count)
    }
}
