internal import CPixels
package import VidscanBase

/// Shrinks a whole frame into a detector's input tensor: area-averaged, upright, with square pixels, as R'G'B'.
///
/// Each decoded plane is averaged row by row, first down its columns, then along its rows. Only the small result is converted to
/// R'G'B' and turned upright, because averaging and the colour matrix commute. Along an enlarged axis (non-square pixels),
/// samples are interpolated linearly. Use one per worker; all give the same results.
package final class AreaResampler {
    private let converter: PictureConverter
    private let kernels = vs_best_kernels().pointee
    private var axes: PlaneAxes?
    private var scratch: [Float] = []

    package init(converter: PictureConverter = PictureConverter()) { self.converter = converter }

    /// Fills a tensor of shape 3 × `tensorSize.height` × `tensorSize.width` with R', G', B' in 0…255. `pictureSize`: of
    /// the upright frame in the top left corner. The rest of the tensor is 0. `tensorSize`: at least `pictureSize`.
    /// `part`: what is needed of the picture, leaving the rest undefined; `nil` fills the whole tensor.
    package func resample(
        _ frame: SampledFrame, pictureSize: PictureSize, tensorSize: PictureSize, part: PictureRegion? = nil,
        into tensor: UnsafeMutablePointer<Float>
    ) throws(MediaError) {
        let image = try converter.planes(of: frame)
        let orientation = frame.geometry.orientation
        let key = PlaneAxes.Key(
            lumaSize: image.luma.size, chromaSize: (image.differences.first ?? image.luma).size, chroma: image.chroma,
            target: pictureSize, orientation: orientation)
        let axes = axes.flatMap { $0.key == key ? $0 : nil } ?? PlaneAxes(key)
        self.axes = axes
        let capacity = axes.sampleCapacity + 3 * axes.outputCapacity * (1 + Self.blockRows)
        if scratch.count < capacity { scratch = [Float](repeating: 0, count: capacity) }
        scratch.withUnsafeMutableBufferPointer { scratch in
            guard let sums = scratch.baseAddress else { return }
            // Grey has no chroma; its two rows stay as they are.
            (sums + axes.sampleCapacity).update(repeating: 128, count: 3 * axes.outputCapacity)
            // The columns of a part of a turned frame are rows of the planes.
            let columns = ColumnRange(axes, orientation.swapsAxes ? nil : part?.columns, image)
            guard !orientation.swapsAxes else {
                return fillTurned(image, axes, columns, scratch: sums, tensorSize: tensorSize, into: tensor)
            }
            for row in 0..<axes.lumaY.count {
                let line = orientation.mirrorsY ? axes.lumaY.count - 1 - row : row
                if let part, !part.rows[line] { continue }
                convert(
                    image, row: row, axes, columns, scratch: sums, into: tensor + line * tensorSize.width,
                    planeLength: tensorSize.width * tensorSize.height)
            }
        }
        guard part == nil else { return }
        for row in 0..<3 * tensorSize.height {
            let filled = row % tensorSize.height < pictureSize.height ? pictureSize.width : 0
            (tensor + row * tensorSize.width + filled).update(repeating: 0, count: tensorSize.width - filled)
        }
    }

    /// Makes a line of R'G'B' from the samples of one row of outputs.
    private func convert(
        _ image: PlanarImage, row: Int, _ axes: PlaneAxes, _ columns: ColumnRange,
        scratch sums: UnsafeMutablePointer<Float>, into line: UnsafeMutablePointer<Float>, planeLength: Int
    ) {
        let averages = sums + axes.sampleCapacity
        for (number, plane) in image.planes.enumerated() {
            let isLuma = number == 0
            let (vertical, samples) = isLuma ? (axes.lumaY, columns.luma) : (axes.chromaY, columns.chroma)
            // 8-bit samples times weights in 1/256 are exact in floats, also after the second axis.
            vertical.span(of: row).withUnsafeBufferPointer { weights in
                plane.sumRows(
                    x: samples.lowerBound, y: vertical.first[row], width: samples.count, weights: weights,
                    into: sums + samples.lowerBound, with: kernels)
            }
            (isLuma ? axes.lumaX : axes.chromaX).apply(
                to: sums, into: averages + number * axes.outputCapacity, part: columns.outputs)
        }
        var color = image.color
        let first = columns.outputs.lowerBound
        let (planes, line) = (averages + first, line + first)
        kernels.convert(
            planes, planes + axes.outputCapacity, planes + 2 * axes.outputCapacity,
            min(columns.outputs.count, axes.lumaXCount - first), &color, line, line + planeLength,
            line + 2 * planeLength)
    }

    /// Transposed together, so that a row of the tensor gets whole cache lines.
    private static let blockRows = 16

    /// Rows of the coded frame become columns of the tensor.
    private func fillTurned(
        _ image: PlanarImage, _ axes: PlaneAxes, _ columns: ColumnRange, scratch: UnsafeMutablePointer<Float>,
        tensorSize: PictureSize, into tensor: UnsafeMutablePointer<Float>
    ) {
        let isMirrored = axes.key.orientation.mirrorsX
        let (rows, stride) = (axes.lumaY.count, axes.outputCapacity)
        let block = scratch + axes.sampleCapacity + 3 * stride
        for first in Swift.stride(from: 0, to: rows, by: Self.blockRows) {
            let count = min(Self.blockRows, rows - first)
            for row in 0..<count {
                let line = isMirrored ? count - 1 - row : row
                convert(
                    image, row: first + row, axes, columns, scratch: scratch, into: block + line * stride,
                    planeLength: Self.blockRows * stride)
            }
            let column = isMirrored ? rows - first - count : first
            for channel in 0..<3 {
                kernels.transpose(
                    block + channel * Self.blockRows * stride, stride, count, axes.lumaXCount,
                    tensor + channel * tensorSize.width * tensorSize.height + column, tensorSize.width)
            }
        }
    }
}

/// The needed outputs of a row, and their samples.
private struct ColumnRange {
    /// Whole blocks of 8.
    let outputs: Range<Int>
    let luma, chroma: Range<Int>

    init(_ axes: PlaneAxes, _ columns: Range<Int>?, _ image: PlanarImage) {
        let chromaWidth = image.differences.first?.width ?? 0
        guard let columns, !columns.isEmpty else {
            (outputs, luma, chroma) = (0..<axes.outputCapacity, 0..<image.luma.width, 0..<chromaWidth)
            return
        }
        outputs = columns.lowerBound / 8 * 8..<(columns.upperBound + 7) / 8 * 8
        luma = Self.wide(axes.lumaX.samples(of: outputs), of: image.luma.width)
        chroma = Self.wide(axes.chromaX.samples(of: outputs), of: chromaWidth)
    }

    /// The kernels need 64 samples to be fast.
    private static func wide(_ samples: Range<Int>, of width: Int) -> Range<Int> {
        let upper = min(max(samples.upperBound, samples.lowerBound + 64), width)
        return max(min(samples.lowerBound, upper - 64), 0)..<upper
    }
}

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
    let lumaX, chromaX: RowFilter
    let lumaY, chromaY: AxisWeights
    let lumaXCount, sampleCapacity, outputCapacity: Int

    init(_ key: Key) {
        let size = key.orientation.apply(to: key.target)
        let (scaleX, scaleY) = (Double(1 << key.chroma.shiftX), Double(1 << key.chroma.shiftY))
        let (width, height) = (Double(key.lumaSize.width), Double(key.lumaSize.height))
        // Each row is filtered in display order.
        let isMirrored = key.orientation.swapsAxes ? key.orientation.mirrorsY : key.orientation.mirrorsX
        self.key = key
        let luma = AxisWeights(samples: key.lumaSize.width, length: width, outputs: size.width, isMirrored: isMirrored)
        let chroma = AxisWeights(
            samples: key.chromaSize.width, length: width / scaleX, outputs: size.width,
            offset: -key.chroma.offsetX / scaleX, isMirrored: isMirrored)
        (lumaX, chromaX) = (luma.rowFilter, chroma.rowFilter)
        lumaY = AxisWeights(samples: key.lumaSize.height, length: height, outputs: size.height)
        chromaY = AxisWeights(
            samples: key.chromaSize.height, length: height / scaleY, outputs: size.height,
            offset: -key.chroma.offsetY / scaleY)
        lumaXCount = size.width
        sampleCapacity = max(key.lumaSize.width, key.chromaSize.width, lumaX.sampleCapacity, chromaX.sampleCapacity)
        outputCapacity = lumaX.outputCapacity
    }
}
