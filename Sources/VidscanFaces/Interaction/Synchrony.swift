/// How similarly two people move, one perhaps later than the other: windowed cross-correlation with peak picking
/// (Boker, Xu, Rotondo and King, 2002, Psychological Methods 7), and the same for unrelated pairs of moments.
///
/// A window of the first person's signal is correlated with windows of the second's before and after it. The peak is the
/// local maximum nearest to lag 0. The baseline shifts the second signal in a circle by more than a window and two lags.
package struct Synchrony: Sendable, Equatable {
    package static let windowSeconds = 4.0, stepSeconds = 2.0, maximumLagSeconds = 2.0
    /// A peak is the highest correlation of the lags up to this far from its own.
    package static let peakReachSeconds = 0.5
    /// The minimum fraction of a window's pairs of values that are known.
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

    /// `first` and `second`: one value per point of the same regular clock; NaN where it is missing. Returns `nil` with
    /// fewer than `minimumWindows` windows, or too few points per second. Passes on what `check` throws, called often.
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
        let observed = Self.mean(original.map(\.value))
        (self.correlation, windows) = (observed, original.count)
        lagSeconds = Self.quantile(0.5, of: original.map { Double($0.lag) }) * interval
        var means: [Double] = []
        for shift in correlation.shifts {
            try check()
            let peaks = correlation.peaks(shift: shift)
            if 2 * peaks.count >= original.count { means.append(Self.mean(peaks.map(\.value))) }
        }
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
    /// One for each of as many lags.
    private typealias Lanes = SIMD8<Double>
    /// Values, and for the window from each point on, how many of them are known, their sum and the sum of their squares,
    /// which are NaN if one is missing.
    private typealias Signal = (values: [Double], known: [Double], sums: [Double], squares: [Double])

    let window, step, maximumLag, reach: Int
    /// The second signal follows itself, so that a shifted one is a part of it; then come values for the lanes beyond.
    private let a, b: Signal

    init(_ first: ArraySlice<Double>, _ second: ArraySlice<Double>, interval: Double) {
        func points(_ seconds: Double) -> Int { max(Int((seconds / interval).rounded()), 1) }
        let window = points(Synchrony.windowSeconds)
        func signal(_ values: [Double]) -> Signal {
            let windows = (0..<max(values.count - window + 1, 0)).map { values[$0..<$0 + window] }
            return (
                values, windows.map { Double($0.count { !$0.isNaN }) }, windows.map { $0.reduce(0, +) },
                windows.map { $0.reduce(0) { $0 + $1 * $1 } }
            )
        }
        (self.window, step) = (window, points(Synchrony.stepSeconds))
        (maximumLag, reach) = (points(Synchrony.maximumLagSeconds), points(Synchrony.peakReachSeconds))
        (a, b) = (signal(Array(first)), signal(second + second + [Double](repeating: 0, count: Lanes.scalarCount)))
    }

    /// Spread evenly over the shifts at which no window meets its own lags.
    var shifts: [Int] {
        let nearest = window + 2 * maximumLag
        let possible = a.values.count - 2 * nearest + 1
        guard possible > 0 else { return [] }
        let wanted = min(possible, Synchrony.maximumShifts)
        return (0..<wanted).map { nearest + $0 * (possible - 1) / max(wanted - 1, 1) }
    }

    /// `shift`: the second signal begins at this point, and its beginning follows its end.
    func peaks(shift: Int) -> [(value: Double, lag: Int)] {
        stride(from: maximumLag, through: a.values.count - window - maximumLag, by: step).compactMap {
            peak(at: $0, $0 + shift - maximumLag)
        }
    }

    /// At the ends of the range, the correlation may still rise beyond. `second`: the point of `b` at the lowest lag.
    private func peak(at first: Int, _ second: Int) -> (value: Double, lag: Int)? {
        // Most peaks are near lag 0: those of other lags stay infinite.
        var correlations = [Double](repeating: .infinity, count: 2 * maximumLag + Lanes.scalarCount)
        for distance in 0..<maximumLag {
            let lags = max(maximumLag - distance - reach, 0)...min(maximumLag + distance + reach, 2 * maximumLag)
            let lanes = Lanes.scalarCount
            for group in lags.lowerBound / lanes...lags.upperBound / lanes
            where correlations[group * lanes] == .infinity {
                let found = correlation(first, second + group * lanes)
                for lane in 0..<lanes { correlations[group * lanes + lane] = found[lane] }
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

    /// Of the moments in which both are measured; NaN if these are too few, or if one of them does not move.
    private func correlation(_ first: Int, _ second: Int) -> Lanes {
        let least = Synchrony.measuredFraction * Double(window)
        guard a.known[first] >= least, any(Self.lanes(b.known, second) .>= least) else { return Lanes(repeating: .nan) }
        var (n, xy) = (Lanes(repeating: Double(window)), Lanes())
        for offset in 0..<window { xy += a.values[first + offset] * Self.lanes(b.values, second + offset) }
        var (x, xx) = (Lanes(repeating: a.sums[first]), Lanes(repeating: a.squares[first]))
        var (y, yy) = (Self.lanes(b.sums, second), Self.lanes(b.squares, second))
        if any(xy .!= xy) {
            (n, x, y, xx, yy, xy) = (Lanes(), Lanes(), Lanes(), Lanes(), Lanes(), Lanes())
            for offset in 0..<window where !a.values[first + offset].isNaN {
                let (u, values) = (a.values[first + offset], Self.lanes(b.values, second + offset))
                let v = values.replacing(with: 0, where: values .!= values)
                let isKnown = Lanes(repeating: 1).replacing(with: 0, where: values .!= values)
                (n, x, y) = (n + isKnown, x + u * isKnown, y + v)
                (xx, yy, xy) = (xx + u * u * isKnown, yy + v * v, xy + u * v)
            }
        }
        let (varianceX, varianceY) = (xx / n - x / n * (x / n), yy / n - y / n * (y / n))
        let smallest = Synchrony.minimumDeviation * Synchrony.minimumDeviation
        return Lanes(repeating: .nan).replacing(
            with: (xy / n - x / n * (y / n)) / (varianceX * varianceY).squareRoot(),
            where: (n .>= least) .& (varianceX .>= smallest) .& (varianceY .>= smallest))
    }

    /// Consecutive values from `start` on. The caller makes sure that there are enough.
    private static func lanes(_ values: [Double], _ start: Int) -> Lanes {
        values.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: start * MemoryLayout<Double>.stride, as: Lanes.self) }
    }
}
