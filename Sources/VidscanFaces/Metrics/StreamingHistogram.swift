/// The mean, median and maximum of many values in bounded memory. With 256 bins, the median is exact to half a bin.
package struct StreamingHistogram: Sendable {
    private static let bins = 256
    private let range: ClosedRange<Double>
    private var counts = [UInt32](repeating: 0, count: bins)
    private var sum = 0.0
    package private(set) var count = 0
    package private(set) var maximum: Double?

    /// Values outside the range count in the first or last bin.
    package init(range: ClosedRange<Double>) { self.range = range }

    /// Ignores non-finite values.
    package mutating func add(_ value: Double) {
        guard value.isFinite else { return }
        let bin = (value - range.lowerBound) / (range.upperBound - range.lowerBound) * Double(Self.bins)
        counts[Int(min(max(bin, 0), Double(Self.bins - 1)))] += 1
        sum += value
        count += 1
        maximum = max(maximum ?? value, value)
    }

    package var mean: Double? { count > 0 ? sum / Double(count) : nil }

    /// Of an even number of values, the mean of the two in the middle.
    package var median: Double? {
        guard count > 0 else { return nil }
        return (value(at: (count - 1) / 2) + value(at: count / 2)) / 2
    }

    /// The middle of the bin of the value with this index, from 0, in ascending order.
    private func value(at index: Int) -> Double {
        var next = 0
        let bin = counts.firstIndex {
            next += Int($0)
            return next > index
        }
        return value(atBin: Double(bin ?? 0) + 0.5)
    }

    private func value(atBin position: Double) -> Double {
        let width = (range.upperBound - range.lowerBound) / Double(Self.bins)
        return min(range.lowerBound + position * width, maximum ?? .infinity)
    }

    /// Returns the value that a fraction of the values, 0…1, does not exceed, in whatever order they were added.
    package func quantile(_ fraction: Double) -> Double? {
        guard count > 0 else { return nil }
        let rank = Double(count) * fraction
        var below = 0.0
        for (bin, number) in counts.enumerated() where number > 0 {
            let next = below + Double(number)
            if next >= rank { return value(atBin: Double(bin) + (rank - below) / Double(number)) }
            below = next
        }
        return maximum
    }
}
