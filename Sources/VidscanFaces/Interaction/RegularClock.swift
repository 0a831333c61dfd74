/// Puts samples on a regular clock, which begins at the first one and has their mean interval.
package struct RegularClock: Sendable {
    /// In seconds, more than 0.
    package let interval: Double
    package let count, samples: Int
    /// For each point, the last sample not after it, and how far it lies towards the next one, 0..<1; `nil` where two
    /// samples are more than two intervals apart.
    private let positions: [(sample: Int, fraction: Double)?]

    /// A point is at a sample if it is nearer than this fraction of the time between two samples: times are rounded.
    private static let snap = 0.01
    private static let maximumCount = 20_000_000.0

    /// `microseconds`: ascending. Returns `nil` if no time passes, or far too much, or if more than 2,000 samples take a second.
    package init?(microseconds times: [Int64]) {
        guard let first = times.first, let last = times.last, last > first else { return nil }
        let step = Self.interval(of: times)
        let count = (Double(last - first) / step + Self.snap).rounded(.down) + 1
        guard count <= Self.maximumCount, step >= 500 else { return nil }
        (interval, self.count, samples) = (step / 1e6, Int(count), times.count)
        var sample = 0
        positions = (0..<Int(count)).map { point in
            let now = Double(first) + Double(point) * step
            while sample + 1 < times.count, Double(times[sample + 1]) <= now { sample += 1 }
            guard sample + 1 < times.count else { return (sample, 0) }
            let gap = Double(times[sample + 1] - times[sample])
            let fraction = (now - Double(times[sample])) / gap
            if fraction <= Self.snap { return (sample, 0) }
            if fraction >= 1 - Self.snap { return (sample + 1, 0) }
            return gap > 2 * step ? nil : (sample, fraction)
        }
    }

    /// The mean of the gaps between ascending times, without those longer than `limit` and twice the median, in which
    /// nothing was sampled; 0 for a single time.
    package static func interval(of times: [Int64], limit: Double = 0) -> Double {
        let gaps = zip(times.dropFirst(), times).map { Double($0 - $1) }.sorted()
        let usual = gaps.prefix { $0 <= max(2 * gaps[gaps.count / 2], limit) }
        return usual.reduce(0, +) / Double(max(usual.count, 1))
    }

    /// Interpolates between samples that follow each other; NaN where one of them has no value.
    package func values(_ samples: [Double]) -> [Double] {
        positions.map { position in
            guard let (sample, fraction) = position else { return .nan }
            guard fraction > 0 else { return samples[sample] }
            return samples[sample] + fraction * (samples[sample + 1] - samples[sample])
        }
    }

    /// Takes the last sample not after each point.
    package func states<State>(_ samples: [State?]) -> [State?] {
        positions.map { position in position.flatMap { samples[$0.sample] } }
    }
}
