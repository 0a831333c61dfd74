import Testing
import TestSupport
import VidscanBase

@Suite("A frame in a detector's tensor")
struct TensorPictureTests {
    @Test(
        "A shrunk pixel is the mean of the area that it covers",
        arguments: [(224, 126, 224, 128), (128, 64, 128, 64), (37, 101, 40, 101), (1, 1, 1, 1)])
    func areaAverage(width: Int, height: Int, tensorWidth: Int, tensorHeight: Int) {
        let source = PictureSize(width: 448, height: 252)
        let stored = PictureSize(width: 448, height: 256)
        var generator = SeededGenerator(seed: 1)
        let values = (0..<3 * stored.width * stored.height).map { _ in Float.random(in: 0...255, using: &generator) }
        var result = [Float](repeating: -1, count: 3 * tensorWidth * tensorHeight)
        values.withUnsafeBufferPointer { values in
            guard let base = values.baseAddress else { return }
            TensorPicture(base: base, size: source, tensorSize: stored).resample(
                to: PictureSize(width: width, height: height),
                tensorSize: PictureSize(width: tensorWidth, height: tensorHeight), into: &result)
        }
        var worst = 0.0
        for channel in 0..<3 {
            let rows = (0..<tensorHeight).map { Self.shares($0, of: height, samples: source.height) }
            let columns = (0..<tensorWidth).map { Self.shares($0, of: width, samples: source.width) }
            for (row, rowShares) in rows.enumerated() {
                for (column, columnShares) in columns.enumerated() {
                    var mean = 0.0
                    for (y, rowShare) in rowShares {
                        for (x, columnShare) in columnShares {
                            let value = values[(channel * stored.height + y) * stored.width + x]
                            mean += Double(value) * rowShare * columnShare
                        }
                    }
                    let got = Double(result[(channel * tensorHeight + row) * tensorWidth + column])
                    worst = max(worst, abs(got - mean))
                }
            }
        }
        // The sum of all samples loses a few of a float's 24 bits.
        #expect(worst < 1e-3)
    }

    /// The samples that an output covers, with their shares of it; none in the padding.
    private static func shares(_ output: Int, of outputs: Int, samples: Int) -> [(Int, Double)] {
        guard output < outputs else { return [] }
        let step = Double(samples) / Double(outputs)
        let (low, high) = (Double(output) * step, Double(output + 1) * step)
        return (Int(low)..<min(Int(high.rounded(.up)), samples)).map {
            ($0, (min(Double($0 + 1), high) - max(Double($0), low)) / step)
        }
    }
}
