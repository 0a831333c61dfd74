public import VidscanBase

/// The features of a frame that the shot detector keeps: a small grey thumbnail, the distributions of luma and colours,
/// and the sharpness. Some seven hundred numbers for a frame of any size.
public struct FrameSignature: Sendable, Equatable {
    /// The width and height of the thumbnail in cells.
    static let side = 24
    static let lumaBins = 16
    static let chromaBins = 10

    /// The mean luma of each cell, 0…255, row by row.
    var thumbnail: [Float]
    /// The luma histogram, and a histogram of colours by their red and green chromaticity; each sums to 1.
    var lumaHistogram: [Float]
    var chromaHistogram: [Float]
    /// The mean luma, 0…255.
    public var brightness: Float
    /// The mean absolute luma difference of horizontal neighbours and of vertical neighbours.
    var edgesAcross: Float
    var edgesDown: Float
    /// The standard deviation of the thumbnail.
    var contrast: Float

    /// Computes the signature from every second pixel of every second row.
    public init(_ image: TensorPicture) {
        let (width, height, side) = (image.size.width, image.size.height, Self.side)
        var sums = [Float](repeating: 0, count: side * side)
        var counts = [Float](repeating: 0, count: side * side)
        var luma = [Float](repeating: 0, count: Self.lumaBins)
        var chroma = [Float](repeating: 0, count: Self.chromaBins * Self.chromaBins)
        var across: Float = 0
        var down: Float = 0
        var total: Float = 0
        var steps: Float = 0
        var coloured: Float = 0
        var above = [Float](repeating: 0, count: width)
        let cells = (0..<width).map { $0 * side / width }
        let weights = TensorPicture.lumaWeights
        for y in stride(from: 0, to: height, by: 2) {
            let row = y * side / height * side
            var left: Float = 0
            for x in stride(from: 0, to: width, by: 2) {
                let color = image.color(x: x, y: y)
                let value = (color * weights).sum()
                sums[row + cells[x]] += value
                counts[row + cells[x]] += 1
                total += value
                luma[min(Int(value) / 16, Self.lumaBins - 1)] += 1
                // The colour of a dark pixel is noise.
                let amount = color.sum()
                if amount > 60 {
                    let share = color * (Float(Self.chromaBins) / amount)
                    // The chromaticities of red and green are around a third, so the bins cover the middle of the
                    // range.
                    let red = min(max(Int(2 * share.x) - 2, 0), Self.chromaBins - 1)
                    let green = min(max(Int(2 * share.y) - 2, 0), Self.chromaBins - 1)
                    chroma[red * Self.chromaBins + green] += 1
                    coloured += 1
                }
                if x > 0 && y > 0 {
                    across += abs(value - left)
                    down += abs(value - above[x])
                    steps += 1
                }
                left = value
                above[x] = value
            }
        }
        let mean = total / max(counts.reduce(0, +), 1)
        thumbnail = zip(sums, counts).map { $1 > 0 ? $0 / $1 : mean }
        let pixels = max(counts.reduce(0, +), 1)
        lumaHistogram = luma.map { $0 / pixels }
        chromaHistogram = chroma.map { coloured > 0 ? $0 / coloured : 0 }
        brightness = mean
        edgesAcross = across / max(steps, 1)
        edgesDown = down / max(steps, 1)
        let middle = thumbnail.reduce(0, +) / Float(thumbnail.count)
        contrast =
            (thumbnail.reduce(0) { $0 + ($1 - middle) * ($1 - middle) } / Float(thumbnail.count)).squareRoot()
    }

    public static let numberCount = side * side + lumaBins + chromaBins * chromaBins + 4

    /// The whole signature as `numberCount` numbers, for the intermediate file.
    public var numbers: [Float] {
        thumbnail + lumaHistogram + chromaHistogram + [brightness, edgesAcross, edgesDown, contrast]
    }

    /// - Parameter numbers: The numbers of another signature, `numberCount` of them.
    public init(numbers: [Float]) {
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

    /// Returns whether a cut may lie between this sample and the next one. `ShotDetector`, which sees more samples,
    /// decides whether it does.
    package func mayBeCut(to next: FrameSignature) -> Bool {
        let comparison = SignatureComparison(self, next)
        if comparison.structure >= ShotDetector.minimumStructure, comparison.total > Self.possibleCut { return true }
        // A faint cut, or the way to or from a mixture of two shots.
        return comparison.structure >= Self.faintStructure && comparison.total > Self.possibleFaintCut
            && changedShare(to: next) >= Self.minimumChangedShare
    }

    /// Two thirds of the difference at which the shot detector considers a cut.
    private static let possibleCut = 0.2
    /// Half of the differences at which it considers a faint cut.
    private static let possibleFaintCut = 0.05
    private static let faintStructure = 0.08
    private static let minimumChangedShare = 0.87

    /// Returns the fraction of cells that differ from those of another frame of the same scene, 0…1, after the change of
    /// light, a gain and an offset, that explains the most.
    func changedShare(to other: FrameSignature) -> Double {
        let count = Float(thumbnail.count)
        let means = (thumbnail.reduce(0, +) / count, other.thumbnail.reduce(0, +) / count)
        var variance: Float = 0
        var covariance: Float = 0
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

    /// The minimum difference in luma, 0…255, of a cell that has changed.
    private static let visibleDifference: Float = 4

    /// Whether the frame is black, white or fog, so that there is nothing to compare.
    var isFeatureless: Bool { contrast < 7 }

    /// Returns the mean absolute difference of the thumbnails, 0…255.
    func distance(to other: FrameSignature) -> Double {
        var sum: Float = 0
        for index in thumbnail.indices { sum += abs(thumbnail[index] - other.thumbnail[index]) }
        return Double(sum) / Double(thumbnail.count)
    }
}
