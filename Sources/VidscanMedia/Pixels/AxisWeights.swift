internal import VidscanBase

/// The samples of one axis that contribute to each output, and their weights: a box filter as wide as an output, and at least
/// as wide as a sample. It averages areas when it shrinks and interpolates linearly when it enlarges.
///
/// Weights are in 1/256 and add up to exactly 1, so that a constant image stays constant to the last bit.
struct AxisWeights {
    /// Of each output.
    private(set) var first: [Int] = []
    /// Of each output's first weight in `weights`; then the count of all weights.
    private(set) var offset: [Int] = [0]
    private(set) var weights: [UInt16] = []

    var count: Int { first.count }

    /// `samples`: on this axis; sample i covers i ..< i + 1. `length`: in samples. It may end within the last sample,
    /// as in the chroma of an image of odd size. `outputs`: divide the length evenly. `offset`: added to every
    /// position, in samples. `isMirrored`: lists the outputs from last to first.
    init(samples: Int, length: Double, outputs: Int, offset: Double = 0, isMirrored: Bool = false) {
        let scale = length / Double(outputs)
        let reach = max(scale, 1) / 2
        for position in 0..<outputs {
            let output = isMirrored ? outputs - 1 - position : position
            let center = (Double(output) + 0.5) * scale + offset
            let (low, high) = (center - reach, center + reach)
            let begin = min(max(Int(low.rounded(.down)), 0), samples - 1)
            let end = min(max(Int(high.rounded(.up)) - 1, begin), samples - 1)
            // Divides 256 in proportion to the overlaps. The part outside the image counts for the sample at its edge.
            // Rounding the running total keeps the sum exact.
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
            self.offset.append(weights.count)
        }
    }

    func span(of output: Int) -> ArraySlice<UInt16> { weights[offset[output]..<offset[output + 1]] }

    /// A filter of rows that were summed with weights in 1/256. Its outputs are in the unit of the samples.
    var rowFilter: RowFilter { RowFilter(first: first, offset: offset) { Float(weights[$0]) * (1 / 65536) } }
}

struct PlaneAxes {
    struct Key: Hashable {
        var lumaSize, chromaSize: PictureSize
        var chroma: PlanarImage.ChromaPosition
        /// Upright.
        var target: PictureSize
        var orientation: Orientation
    }

    let key: Key
    let lumaX: RowFilter
    let lumaY: AxisWeights
    let chromaX: RowFilter
    let chromaY: AxisWeights
    let lumaXCount, sampleCapacity, outputCapacity: Int

    init(_ key: Key) {
        let target = key.orientation.apply(to: key.target)
        let (scaleX, scaleY) = (Double(1 << key.chroma.shiftX), Double(1 << key.chroma.shiftY))
        let (width, height) = (Double(key.lumaSize.width), Double(key.lumaSize.height))
        // Each row is filtered in display order.
        let isMirrored = key.orientation.swapsAxes ? key.orientation.mirrorsY : key.orientation.mirrorsX
        self.key = key
        let luma = AxisWeights(
            samples: key.lumaSize.width, length: width, outputs: target.width, isMirrored: isMirrored)
        let chroma = AxisWeights(
            samples: key.chromaSize.width, length: width / scaleX, outputs: target.width,
            offset: -key.chroma.offsetX / scaleX, isMirrored: isMirrored)
        (lumaX, chromaX) = (luma.rowFilter, chroma.rowFilter)
        lumaY = AxisWeights(samples: key.lumaSize.height, length: height, outputs: target.height)
        chromaY = AxisWeights(
            samples: key.chromaSize.height, length: height / scaleY, outputs: target.height,
            offset: -key.chroma.offsetY / scaleY)
        lumaXCount = target.width
        sampleCapacity = max(key.lumaSize.width, key.chromaSize.width, lumaX.sampleCapacity, chromaX.sampleCapacity)
        outputCapacity = lumaX.outputCapacity
    }
}
