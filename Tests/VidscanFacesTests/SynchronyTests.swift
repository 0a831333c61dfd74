import Testing
import TestSupport
import VidscanFaces

@Suite("Synchrony finds who follows whom, and tells it from chance")
struct SynchronyTests {
    private static let interval = 0.1

    /// Slow noise: a random walk that returns to 0.
    private static func signal(_ count: Int, seed: UInt64) -> [Double] {
        var generator = SeededGenerator(seed: seed)
        var (value, speed) = (0.0, 0.0)
        return (0..<count).map { _ in
            speed = 0.8 * speed + Double.random(in: -5...5, using: &generator) - 0.05 * value
            value += speed
            return value
        }
    }

    private static func synchrony(_ a: [Double], _ b: [Double], interval: Double = interval) -> Synchrony? {
        Synchrony(a, b, interval: interval) {}
    }

    private static func delayed(_ values: [Double], by points: Int) -> [Double] {
        Array(repeating: values[0], count: points) + values.dropLast(points)
    }

    @Test("A person who does the same 0.4 s later follows, and chance does not do as much")
    func lag() throws {
        let a = Self.signal(1200, seed: 1)
        let found = try #require(Self.synchrony(a, Self.delayed(a, by: 4)))
        #expect(abs(found.lagSeconds - 0.4) < 1e-9)
        #expect(found.correlation > 0.99 && found.windows > 50)
        let baseline = try #require(found.baseline)
        #expect(baseline.shifts == 100 && baseline.reached == 0)
        #expect(baseline.percentile95 < found.correlation && baseline.mean < baseline.percentile95)
        let reverse = try #require(Self.synchrony(Self.delayed(a, by: 4), a))
        #expect(abs(reverse.lagSeconds + 0.4) < 1e-9)
    }

    @Test("People who have nothing to do with each other stay within the baseline", arguments: 2..<8 as Range<UInt64>)
    func unrelated(seed: UInt64) throws {
        let found = try #require(Self.synchrony(Self.signal(1200, seed: seed), Self.signal(1200, seed: 100 + seed)))
        let baseline = try #require(found.baseline)
        #expect(baseline.reached > 0 && found.correlation < 0.7)
    }

    @Test("A window needs four fifths of its values from both people")
    func blanks() throws {
        var a = Self.signal(1200, seed: 1)
        let b = Self.delayed(a, by: 4)
        let whole = try #require(Self.synchrony(a, b))
        for point in 300..<900 { a[point] = .nan }
        let half = try #require(Self.synchrony(a, b))
        #expect(half.windows < whole.windows / 2 + 2 && half.windows > whole.windows / 2 - 4)
        #expect(abs(half.lagSeconds - 0.4) < 1e-9)
        for point in a.indices where point.isMultiple(of: 3) { a[point] = .nan }
        #expect(Self.synchrony(a, b) == nil)
    }

    /// As in the paper, one correlation at a time.
    private static func peaks(_ a: [Double], _ b: [Double], rate: Int) -> [(value: Double, lag: Int)] {
        let (window, lags, reach) = (4 * rate, -2 * rate...2 * rate, (rate + 1) / 2)
        func correlation(_ start: Int, _ lag: Int) -> Double {
            let pairs = (start..<start + window).map { (a[$0], b[$0 + lag]) }.filter { !$0.isNaN && !$1.isNaN }
            guard 5 * pairs.count >= 4 * window else { return .nan }
            func mean(_ value: ((Double, Double)) -> Double) -> Double {
                pairs.map(value).reduce(0, +) / Double(pairs.count)
            }
            let (x, y) = (mean { $0.0 }, mean { $0.1 })
            let (xx, yy) = (mean { ($0.0 - x) * ($0.0 - x) }, mean { ($0.1 - y) * ($0.1 - y) })
            return xx < 0.01 || yy < 0.01 ? .nan : mean { ($0.0 - x) * ($0.1 - y) } / (xx * yy).squareRoot()
        }
        return stride(from: 2 * rate, through: a.count - 6 * rate, by: 2 * rate).compactMap { start in
            let correlations = lags.map { correlation(start, $0) }
            for lag in lags.dropFirst().dropLast().sorted(by: { (abs($0), -$0) < (abs($1), -$1) }) {
                let value = correlations[lag + 2 * rate]
                let near = lags.clamped(to: lag - reach...lag + reach).map { correlations[$0 + 2 * rate] }
                if !value.isNaN, !near.contains(where: { $0 > value }) { return (value, lag) }
            }
            return nil
        }
    }

    @Test(
        "Every window, lag and shift has the value of the definition, also with gaps", arguments: [5, 7, 12], [0, 9])
    func definition(rate: Int, gap: Int) throws {
        var (a, b) = (Self.signal(60 * rate, seed: 3), Self.signal(60 * rate, seed: 4))
        for point in a.indices where gap > 0 && point % 40 < gap {
            (a[point], b[(point + 13) % b.count]) = (.nan, .nan)
        }
        let found = try #require(Self.synchrony(a, b, interval: 1 / Double(rate)))
        let start = try #require(a.indices.first { !(a[$0] * b[$0]).isNaN })
        let end = try #require(a.indices.last { !(a[$0] * b[$0]).isNaN })
        (a, b) = (Array(a[start...end]), Array(b[start...end]))
        let expected = Self.peaks(a, b, rate: rate)
        #expect(found.windows == expected.count && found.windows >= 5)
        #expect(abs(found.correlation - expected.map(\.value).reduce(0, +) / Double(expected.count)) < 1e-9)
        let lags = expected.map { Double($0.lag) / Double(rate) }
        #expect(abs(found.lagSeconds - Synchrony.quantile(0.5, of: lags)) < 1e-9)
        let (nearest, possible) = (8 * rate, a.count - 16 * rate + 1)
        var means: [Double] = []
        for index in 0..<min(100, possible) {
            let shift = nearest + index * (possible - 1) / (min(100, possible) - 1)
            let peaks = Self.peaks(a, Array(b[shift...] + b[..<shift]), rate: rate)
            if 2 * peaks.count >= expected.count {
                means.append(peaks.map(\.value).reduce(0, +) / Double(peaks.count))
            }
        }
        let baseline = try #require(found.baseline)
        #expect(baseline.shifts == means.count)
        #expect(abs(baseline.mean - means.reduce(0, +) / Double(means.count)) < 1e-9)
        #expect(abs(baseline.percentile95 - Synchrony.quantile(0.95, of: means)) < 1e-9)
    }

    @Test("Without movement, values or enough time there is no synchrony")
    func missing() {
        let a = Self.signal(1200, seed: 1)
        #expect(Self.synchrony(a, [Double](repeating: 3, count: 1200)) == nil)
        #expect(Self.synchrony(a, [Double](repeating: .nan, count: 1200)) == nil)
        #expect(Self.synchrony([], []) == nil)
        #expect(Self.synchrony(Array(a.prefix(120)), Array(a.prefix(120))) == nil)
        // Two samples per second.
        #expect(Self.synchrony(a, a, interval: 0.5) == nil)
    }

    @Test("Too short a time for shifts has no baseline")
    func shortTime() throws {
        let a = Self.signal(170, seed: 1)
        let found = try #require(Self.synchrony(a, a))
        #expect(found.baseline == nil && found.lagSeconds == 0)
    }

    @Test("Values between samples are interpolated, but not where a sample lacks them or nothing was sampled")
    func clock() throws {
        // Samples of 30 frames per second at 12 per second, and a jump.
        let first = (0..<24).map { (tick: Int) -> Int64 in Int64((tick * 5 + 1) / 2 * 1_000_000 / 30) }
        let times = first + first.map { $0 + 10_000_000 }
        let clock = try #require(RegularClock(microseconds: times))
        #expect(abs(clock.interval - 1.0 / 12) < 1e-3 && clock.samples == 48)
        let values = clock.values(times.map { Double($0) / 1e6 })
        for (point, value) in values.enumerated() where !value.isNaN {
            #expect(abs(value - Double(point) * clock.interval) < 0.002)
        }
        #expect(values.count { $0.isNaN } > 90 && values.count { !$0.isNaN } > 40)
        let regular = try #require(RegularClock(microseconds: [0, 83_333, 166_667, 250_000, 333_333]))
        let known = regular.values([1, .nan, 3, 4, 5])
        #expect(known.map(\.isNaN) == [false, true, false, false, false])
        #expect(regular.states([1, nil, 3, 4, 5]) == [1, nil, 3, 4, 5])
        #expect(RegularClock(microseconds: [5]) == nil && RegularClock(microseconds: [5, 5]) == nil)
        #expect(RegularClock(microseconds: [0, 1, 2, 9_000_000_000_000_000]) == nil)
    }
}
