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
