internal import CPixels
package import VidscanBase

/// What the shot detector keeps of a frame: a grey thumbnail, histograms of luma and colours, and the sharpness.
package struct FrameSignature: Sendable, Equatable {
    /// Of the thumbnail, in cells.
    static let side = 24
    static let lumaBins = 16, chromaBins = 10

    /// Mean luma of each cell, 0…255, row by row.
    var thumbnail: [Float]
    /// Each sums to 1. Colours are binned by red, then green chromaticity.
    var lumaHistogram, chromaHistogram: [Float]
    /// Mean luma, 0…255.
    package var brightness: Float
    /// Mean absolute luma difference of horizontal and of vertical neighbours.
    var edgesAcross, edgesDown: Float
    /// Standard deviation of the thumbnail.
    var contrast: Float

    /// Reads every second pixel of every second row.
    package init(_ image: TensorPicture) {
        let (columns, lines) = ((image.size.width + 1) / 2, (image.size.height + 1) / 2)
        let side = Self.side
        var (sums, counts) = (Sums(), PixelCounts())
        let cells = Self.firstPixels(image.size.width)
        withUnsafeTemporaryAllocation(of: Float.self, capacity: 2 * columns) { luma in
            withUnsafeTemporaryAllocation(of: Int32.self, capacity: 2 * columns) { bins in
                guard let luma = luma.baseAddress, let bins = bins.baseAddress else { return }
                for line in 0..<lines {
                    let (row, above) = (luma + line % 2 * columns, luma + (line + 1) % 2 * columns)
                    let colors = image.row(2 * line)
                    Self.kernels.classify(colors.red, colors.green, colors.blue, columns, row, bins, bins + columns)
                    counts.add(levels: bins, colors: bins + columns, count: columns)
                    sums.add(
                        row, above: line > 0 ? above : nil, cells, from: 2 * line * side / image.size.height * side)
                }
            }
        }
        let pixels = Float(columns * lines)
        let mean = sums.total / pixels
        let rows = Self.firstPixels(image.size.height)
        thumbnail = sums.cells.indices.map { cell in
            let (x, y) = (cell % side, cell / side)
            let count = Float((cells[x + 1] - cells[x]) * (rows[y + 1] - rows[y]))
            return count > 0 ? sums.cells[cell] / count : mean
        }
        lumaHistogram = counts.levels.map { $0 / pixels }
        let colors = counts.colors
        let coloured = colors.reduce(0, +)
        chromaHistogram = colors.map { coloured > 0 ? $0 / coloured : 0 }
        brightness = mean
        let steps = Float(max((columns - 1) * (lines - 1), 1))
        (edgesAcross, edgesDown) = (sums.across / steps, sums.down / steps)
        let middle = thumbnail.reduce(0, +) / Float(thumbnail.count)
        contrast = (thumbnail.reduce(0) { $0 + ($1 - middle) * ($1 - middle) } / Float(thumbnail.count)).squareRoot()
    }

    private static let kernels = vs_best_kernels().pointee

    /// The first of every second pixel in each cell along an axis, then the number of these pixels.
    private static func firstPixels(_ length: Int) -> [Int] {
        // Pixel 2 · i is in cell 2 · i · side / length.
        (0...side).map { (($0 * length + side - 1) / side + 1) / 2 }
    }

    private struct Sums {
        private(set) var cells = [Float](repeating: 0, count: side * side)
        private(set) var total: Float = 0, across: Float = 0, down: Float = 0

        /// Adds the luma of a row and overwrites the first pixel of `above`, the row before. `first` is the row's first
        /// cell. One loop for all sums, because each has to wait for its last addition.
        mutating func add(
            _ row: UnsafePointer<Float>, above: UnsafeMutablePointer<Float>?, _ firstPixels: [Int], from first: Int
        ) {
            // The first pixel has no left neighbour, and is not compared with the one above either.
            above?[0] = row[0]
            let before = above.map { UnsafePointer($0) } ?? row
            var (total, across, down, left) = (total, across, down, row[0])
            for cell in 0..<side {
                var sum = cells[first + cell]
                for pixel in firstPixels[cell]..<firstPixels[cell + 1] {
                    let value = row[pixel]
                    sum += value
                    total += value
                    across += abs(value - left)
                    down += abs(value - before[pixel])
                    left = value
                }
                cells[first + cell] = sum
            }
            self.total = total
            if above != nil { (self.across, self.down) = (across, down) }
        }
    }

    /// Neighbours are often alike, so each of four pixels has its own table and no count waits for the one before.
    private struct PixelCounts {
        private static let colorBins = chromaBins * chromaBins
        /// Bins of luma, of colour, and one for dark pixels, whose colour is noise.
        private static let length = lumaBins + colorBins + 1
        private var tables = [Int32](repeating: 0, count: 4 * length)

        /// - Parameter colors: The number of bins stands for a dark pixel.
        mutating func add(levels: UnsafePointer<Int32>, colors: UnsafePointer<Int32>, count: Int) {
            tables.withUnsafeMutableBufferPointer { tables in
                guard let first = tables.baseAddress else { return }
                var table = first
                for pixel in 0..<count {
                    table[Int(levels[pixel])] &+= 1
                    table[lumaBins + Int(colors[pixel])] &+= 1
                    table = pixel & 3 == 3 ? first : table + Self.length
                }
            }
        }

        private func sum(_ bin: Int) -> Float { Float((0..<4).reduce(0) { $0 + Int(tables[$1 * Self.length + bin]) }) }

        var levels: [Float] { (0..<lumaBins).map { sum($0) } }
        /// By the bins of red, then green.
        var colors: [Float] { (0..<Self.colorBins).map { sum(lumaBins + $0) } }
    }

    package static let numberCount = side * side + lumaBins + chromaBins * chromaBins + 4

    /// The whole signature, for the intermediate file.
    package var numbers: [Float] {
        thumbnail + lumaHistogram + chromaHistogram + [brightness, edgesAcross, edgesDown, contrast]
    }

    package init(numbers: [Float]) {
        precondition(numbers.count == Self.numberCount)
        var rest = numbers[...]
        func take(_ count: Int) -> [Float] {
            defer { rest = rest.dropFirst(count) }
            return Array(rest.prefix(count))
        }
        thumbnail = take(Self.side * Self.side)
        lumaHistogram = take(Self.lumaBins)
        chromaHistogram = take(Self.chromaBins * Self.chromaBins)
        let last = take(4)
        (brightness, edgesAcross, edgesDown, contrast) = (last[0], last[1], last[2], last[3])
    }

    /// Whether a cut may lie before the next sample; `ShotDetector`, which sees more samples, decides.
    package func mayBeCut(to next: FrameSignature) -> Bool {
        // Most samples differ little from the next one.
        let structure = SignatureComparison.structureInPlace(self, next)
        guard structure >= min(ShotDetector.minimumStructure, Self.faintStructure) else { return false }
        let comparison = SignatureComparison(self, next)
        if comparison.structure >= ShotDetector.minimumStructure, comparison.total > Self.possibleCut { return true }
        // A faint cut, or a step to or from a mixture of two shots.
        return comparison.structure >= Self.faintStructure && comparison.total > Self.possibleFaintCut
            && changedFraction(to: next) >= FaintCut.minimumChangedFraction
    }

    /// Two thirds of the detector's minimum for a cut, and half of its minimum for a faint one.
    private static let possibleCut = 0.2, possibleFaintCut = 0.05
    private static let faintStructure = 0.08

    /// Fraction of cells, 0…1, that differ after the change of light (a gain and an offset) that explains the most.
    func changedFraction(to other: FrameSignature) -> Double {
        let count = Float(thumbnail.count)
        let means = (thumbnail.reduce(0, +) / count, other.thumbnail.reduce(0, +) / count)
        var variance: Float = 0, covariance: Float = 0
        for (a, b) in zip(thumbnail, other.thumbnail) {
            variance += (a - means.0) * (a - means.0)
            covariance += (a - means.0) * (b - means.1)
        }
        let gain = variance > 0 ? covariance / variance : 0
        let changed = zip(thumbnail, other.thumbnail).count { a, b in
            abs(b - means.1 - gain * (a - means.0)) > Self.visibleDifference
        }
        return Double(changed) / Double(count)
    }

    /// In luma, 0…255.
    private static let visibleDifference: Float = 4

    /// Whether the frame is black, white or fog.
    var isFeatureless: Bool { contrast < 7 }

    /// Mean absolute difference of the thumbnails, 0…255.
    func distance(to other: FrameSignature) -> Double {
        let sum = zip(thumbnail, other.thumbnail).reduce(0) { $0 + abs($1.0 - $1.1) }
        return Double(sum) / Double(thumbnail.count)
    }
}
