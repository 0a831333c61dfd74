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
        let correlation = WindowedCorrelation(interval: interval)
        guard correlation.window >= Self.minimumPoints,
            let start = zip(first, second).enumerated().first(where: { !($1.0 * $1.1).isNaN })?.offset,
            let end = first.indices.last(where: { !(first[$0] * second[$0]).isNaN })
        else { return nil }
        let (a, b) = (Array(first[start...end]), Array(second[start...end]))
        let original = correlation.peaks(a, b, shift: 0)
        guard original.count >= Self.minimumWindows else { return nil }
        self.correlation = Self.mean(original.map(\.value))
        lagSeconds = Self.quantile(0.5, of: original.map { Double($0.lag) }) * interval
        windows = original.count
        var means: [Double] = []
        for shift in correlation.shifts(of: a.count) {
            try check()
            let peaks = correlation.peaks(a, b, shift: shift)
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
    let window, step, maximumLag, reach: Int

    init(interval: Double) {
        func points(_ seconds: Double) -> Int { max(Int((seconds / interval).rounded()), 1) }
        (window, step) = (points(Synchrony.windowSeconds), points(Synchrony.stepSeconds))
        (maximumLag, reach) = (points(Synchrony.maximumLagSeconds), points(Synchrony.peakReachSeconds))
    }

    /// Spread evenly over the shifts at which no window meets its own lags.
    func shifts(of count: Int) -> [Int] {
        let nearest = window + 2 * maximumLag
        let possible = count - 2 * nearest + 1
        guard possible > 0 else { return [] }
        let wanted = min(possible, Synchrony.maximumShifts)
        return (0..<wanted).map { nearest + $0 * (possible - 1) / max(wanted - 1, 1) }
    }

    /// `shift`: the second signal begins at this point, and its beginning follows its end.
    func peaks(_ a: [Double], _ b: [Double], shift: Int) -> [(value: Double, lag: Int)] {
        let b = Array(b[shift...] + b[..<shift])
        return stride(from: maximumLag, through: a.count - window - maximumLag, by: step).compactMap { start in
            peak((-maximumLag...maximumLag).map { correlation(a, start, b, start + $0) })
        }
    }

    /// `correlations`: by lag, NaN where it is unknown. At the ends of the range, it may still rise beyond.
    private func peak(_ correlations: [Double]) -> (value: Double, lag: Int)? {
        for distance in 0..<maximumLag {
            for lag in distance == 0 ? [0] : [distance, -distance] {
                let index = lag + maximumLag
                let value = correlations[index]
                let nearby = correlations[max(index - reach, 0)...min(index + reach, correlations.count - 1)]
                if !value.isNaN, !nearby.contains(where: { $0 > value }) { return (value, lag) }
            }
        }
        return nil
    }

    /// Of the moments in which both are measured; NaN if these are too few, or if one of them does not move.
    private func correlation(_ a: [Double], _ first: Int, _ b: [Double], _ second: Int) -> Double {
        var (n, x, y, xx, yy, xy) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        for offset in 0..<window {
            let (u, v) = (a[first + offset], b[second + offset])
            guard !(u * v).isNaN else { continue }
            (n, x, y) = (n + 1, x + u, y + v)
            (xx, yy, xy) = (xx + u * u, yy + v * v, xy + u * v)
        }
        guard n >= Synchrony.measuredFraction * Double(window) else { return .nan }
        let (varianceX, varianceY) = (xx / n - x / n * (x / n), yy / n - y / n * (y / n))
        let smallest = Synchrony.minimumDeviation * Synchrony.minimumDeviation
        guard varianceX >= smallest, varianceY >= smallest else { return .nan }
        return (xy / n - x / n * (y / n)) / (varianceX * varianceY).squareRoot()
    }
}
