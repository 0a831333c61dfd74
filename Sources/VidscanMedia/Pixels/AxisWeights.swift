/// Which samples of one axis make each output, and with what weight: a box as wide as an output (area averaging), never
/// narrower than a sample (then it interpolates linearly).
///
/// Weights are in 1/256 and sum to exactly that, so a constant picture stays constant to the last bit.
struct AxisWeights {
    /// The first sample of each output.
    private(set) var first: [Int] = []
    /// Where each output's weights begin in `weights`; one more entry than there are outputs.
    private(set) var offset: [Int] = [0]
    private(set) var weights: [UInt16] = []

    var count: Int { first.count }

    /// - Parameters:
    ///   - samples: on this axis; sample i covers i ..< i + 1.
    ///   - length: of the axis in samples; may end within the last one (chroma of an odd picture).
    ///   - outputs: that share the length evenly.
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

    /// Shares 256 by overlap; what lies outside the picture goes to its edge. Rounding the running total keeps the sum.
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
