/// How similarly two people move, one perhaps later than the other: windowed cross-correlation with peak picking
/// (Boker, Xu, Rotondo and King, 2002, Psychological Methods 7), and the same for pairs of moments that have nothing to
/// do with each other.
///
/// A window of the first person's signal is correlated with windows of the second's before and after it. The peak is the
/// local maximum nearest to lag 0. The baseline shifts the second signal in a circle by more than a window and two lags.
package struct Synchrony: Sendable, Equatable {
    package static let windowSeconds = 4.0, stepSeconds = 2.0, maximumLagSeconds = 2.0
    /// A peak is the highest correlation of the lags up to this far from its own.
    package static let peakReachSeconds = 0.5
    /// In a window with its lag, of the pairs of values.
    package static let measuredFraction = 0.8
    /// Below this standard deviation, in the signal's own unit, a person does not move.
    package static let minimumDeviation = 0.1
    package static let minimumWindows = 5
    /// A window with fewer points says nothing: about four per second are needed.
    package static let minimumPoints = 16
    package static let maximumShifts = 100, minimumShifts = 20

    /// The mean of the windows' peaks, -1…1.
    package let correlation: Double
    /// The median of their lags, in seconds; > 0 if the second person follows the first.
    package let lagSeconds: Double
    /// The windows with a peak.
    package let windows: Int
    /// `nil` if fewer than `minimumShifts` shifts have half as many windows with a peak as the original.
    package let baseline: Baseline?

    package struct Baseline: Sendable, Equatable {
        package let mean: Double
        /// The 95th percentile, interpolated between the nearest two.
        package let percentile95: Double
        package let shifts: Int
        /// The shifts whose correlation is as high as the original one, or higher.
        package let reached: Int
    }

    /// `first` and `second`: one value for each point of the same regular clock; NaN where it is missing. Returns `nil`
    /// with fewer than `minimumWindows` windows, or too few points per second. Passes on what `check` throws, which is
    /// called often.
    package init?<Failure: Error>(
        _ first: [Double], _ second: [Double], interval: Double, check: () throws(Failure) -> Void
    ) throws(Failure) {
        guard let start = zip(first, second).enumerated().first(where: { !($1.0 * $1.1).isNaN })?.offset,
            let end = first.indices.last(where: { !(first[$0] * second[$0]).isNaN })
        else { return nil }
        let correlation = WindowedCorrelation(first[start...end], second[start...end], interval: interval)
        guard correlation.window >= Self.minimumPoints else { return nil }
        let original = correlation.peaks(shift: 0)
        guard original.count >= Self.minimumWindows else { return nil }
        self.correlation = Self.mean(original.map(\.value))
        lagSeconds = Self.quantile(0.5, of: original.map { Double($0.lag) }) * interval
        windows = original.count
        var means: [Double] = []
        for shift in correlation.shifts {
            try check()
            let peaks = correlation.peaks(shift: shift)
            if 2 * peaks.count >= original.count { means.append(Self.mean(peaks.map(\.value))) }
        }
        let observed = self.correlation
        baseline =
            means.count < Self.minimumShifts
            ? nil
            : Baseline(
                mean: Self.mean(means), percentile95: Self.quantile(0.95, of: means), shifts: means.count,
                reached: means.count { $0 >= observed })
    }

    private static func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(values.count) }

    /// Interpolates between the nearest two values, as pandas and R do.
    package static func quantile(_ fraction: Double, of values: [Double]) -> Double {
        let (sorted, position) = (values.sorted(), fraction * Double(values.count - 1))
        let (lower, upper) = (sorted[Int(position)], sorted[min(Int(position) + 1, sorted.count - 1)])
        return lower + (upper - lower) * (position - position.rounded(.down))
    }
}

/// Lengths are in points of the clock.
private struct WindowedCorrelation {
    /// For as many lags at once.
    private typealias Lanes = SIMD8<Double>
    /// The sum and the sum of squares of values.
    private typealias Moments = SIMD2<Double>

    let window, step, maximumLag, reach: Int
    /// The second signal follows itself, so that a shifted one is a part of it; then come values for the lanes beyond.
    private let a, b: [Double]
    /// Of the window from each point on.
    private let momentsA, momentsB: [Moments]

    init(_ first: ArraySlice<Double>, _ second: ArraySlice<Double>, interval: Double) {
        func points(_ seconds: Double) -> Int { max(Int((seconds / interval).rounded()), 1) }
        let window = points(Synchrony.windowSeconds)
        func moments(_ values: [Double]) -> [Moments] {
            (0..<max(values.count - window + 1, 0)).map { start in
                values[start..<start + window].reduce(into: Moments()) { $0 += Moments($1, $1 * $1) }
            }
        }
        (self.window, step) = (window, points(Synchrony.stepSeconds))
        (maximumLag, reach) = (points(Synchrony.maximumLagSeconds), points(Synchrony.peakReachSeconds))
        (a, b) = (Array(first), second + second + [Double](repeating: 0, count: Lanes.scalarCount))
        (momentsA, momentsB) = (moments(a), moments(b))
    }

    /// Spread evenly over the shifts at which no window meets its own lags.
    var shifts: [Int] {
        let nearest = window + 2 * maximumLag
        let possible = a.count - 2 * nearest + 1
        guard possible > 0 else { return [] }
        let wanted = min(possible, Synchrony.maximumShifts)
        return (0..<wanted).map { nearest + $0 * (possible - 1) / max(wanted - 1, 1) }
    }

    /// `shift`: the second signal begins at this point, and its beginning follows its end.
    func peaks(shift: Int) -> [(value: Double, lag: Int)] {
        stride(from: maximumLag, through: a.count - window - maximumLag, by: step).compactMap {
            peak(at: $0, $0 + shift - maximumLag)
        }
    }

    /// At the ends of the range, the correlation may still rise beyond. `second`: the point of `b` at the lowest lag.
    private func peak(at first: Int, _ second: Int) -> (value: Double, lag: Int)? {
        // Most peaks are near lag 0: those of other lags stay infinite.
        var correlations = [Double](repeating: .infinity, count: 2 * maximumLag + 1)
        for distance in 0..<maximumLag {
            let lags = max(maximumLag - distance - reach, 0)...min(maximumLag + distance + reach, 2 * maximumLag)
            for group in lags.lowerBound / Lanes.scalarCount...lags.upperBound / Lanes.scalarCount
            where correlations[group * Lanes.scalarCount] == .infinity {
                correlate(first, second, from: group * Lanes.scalarCount, &correlations)
            }
            for lag in [distance, -distance] {
                let index = lag + maximumLag
                let value = correlations[index]
                let nearby = correlations[max(index - reach, 0)...min(index + reach, 2 * maximumLag)]
                if !value.isNaN, !nearby.contains(where: { $0 > value }) { return (value, lag) }
            }
        }
        return nil
    }

    private func correlate(_ first: Int, _ second: Int, from index: Int, _ correlations: inout [Double]) {
        var products = Lanes()
        b.withUnsafeBytes { bytes in
            for offset in 0..<window {
                // All lanes are in `b`, even those of the last window.
                let byte = (second + index + offset) * MemoryLayout<Double>.stride
                products += a[first + offset] * bytes.loadUnaligned(fromByteOffset: byte, as: Lanes.self)
            }
        }
        for lane in 0..<min(Lanes.scalarCount, correlations.count - index) {
            correlations[index + lane] = correlation(first, second + index + lane, products: products[lane])
        }
    }

    /// Of the moments in which both are measured; NaN if these are too few, or if one of them does not move.
    private func correlation(_ first: Int, _ second: Int, products: Double) -> Double {
        var (n, x, y, xy) = (Double(window), momentsA[first], momentsB[second], products)
        if products.isNaN {
            (n, x, y, xy) = (0, Moments(), Moments(), 0)
            for offset in 0..<window {
                let (u, v) = (a[first + offset], b[second + offset])
                guard !(u * v).isNaN else { continue }
                (n, x, y, xy) = (n + 1, x + Moments(u, u * u), y + Moments(v, v * v), xy + u * v)
            }
        }
        guard n >= Synchrony.measuredFraction * Double(window) else { return .nan }
        (x, y) = (x / n, y / n)
        let (varianceX, varianceY) = (x[1] - x[0] * x[0], y[1] - y[0] * y[0])
        let smallest = Synchrony.minimumDeviation * Synchrony.minimumDeviation
        guard varianceX >= smallest, varianceY >= smallest else { return .nan }
        return (xy / n - x[0] * y[0]) / (varianceX * varianceY).squareRoot()
    }
}
