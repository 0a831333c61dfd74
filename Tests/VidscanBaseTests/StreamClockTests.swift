import Foundation
import Testing
import TestSupport
import VidscanBase

@Suite("The stream's clock converts timestamps as ffprobe does")
struct StreamClockTests {
    private static let timeBases: [(Int64, Int64)] = [
        (1, 90_000), (1, 1000), (1, 12_800), (1, 600), (1001, 30_000), (1, 25), (1, 44_100),
        (1, 1_000_000_000), (1, 3), (1, 1_200_000),
    ]

    @Test("Microseconds equal the time that ffprobe prints", arguments: timeBases)
    func printedTimes(timeBase: (Int64, Int64)) throws {
        let clock = StreamClock(timeBase: try #require(Rational(timeBase.0, timeBase.1)), startMicroseconds: 0)
        var random = SeededGenerator(seed: 7)
        var compared = 0
        for _ in 0..<5000 {
            let range = Int64(1) << Int64.random(in: 4...44, using: &random)
            let timestamp = Int64.random(in: -range...range, using: &random)
            let printed = String(format: "%f", Double(timestamp) * (Double(timeBase.0) / Double(timeBase.1)))
            let digits = try #require(Int64(printed.replacing(".", with: "")))
            // Beyond 2⁵³ µs, the product is not exact to the microsecond.
            guard abs(digits) < 1 << 53 else { continue }
            #expect(clock.microseconds(at: timestamp) == digits, "\(timestamp) is \(printed)")
            compared += 1
        }
        #expect(compared > 2500)
    }

    @Test("The container's start time is subtracted after rounding")
    func start() throws {
        let clock = StreamClock(timeBase: try #require(Rational(1, 90_000)), startMicroseconds: 13_721_778)
        #expect(clock.microseconds(at: 1_237_050) == 13_745_000 - 13_721_778)
    }

    @Test("Comparisons with a position are exact, although printed times are rounded")
    func exactComparison() throws {
        // In a time base of 1/3 s, timestamp 1 is at 333,333⅓ µs.
        let clock = StreamClock(timeBase: try #require(Rational(1, 3)), startMicroseconds: 0)
        #expect(clock.isAtOrAfter(333_333, 1))
        #expect(!clock.isAtOrAfter(333_334, 1))
        #expect(clock.microseconds(at: 1) == 333_333)
    }

    @Test("The exact start is the one of the streams' starts from which the container's may have been rounded")
    func exactStart() throws {
        let ticks = try #require(Rational(1, 90_000))
        let samples = try #require(Rational(1, 44_100))
        let own = TimestampInBase(131_110, ticks)  // 1.456777… s
        #expect(StreamClock.exactStart(microseconds: 1_456_778, own: own) == Rational(131_110, 90_000))
        // 64243/44100 s is 1.456757… s: the container starts with the audio.
        let sound = TimestampInBase(64_243, samples)
        #expect(
            StreamClock.exactStart(microseconds: 1_456_757, own: own, others: [sound]) == Rational(64_243, 44_100))
        let earlier = TimestampInBase(131_108, ticks)
        #expect(
            StreamClock.exactStart(microseconds: 1_456_756, own: own, others: [sound, earlier])
                == Rational(131_108, 90_000))
        #expect(StreamClock.exactStart(microseconds: 1_000_000, own: own) == Rational(microseconds: 1_000_000))
        #expect(StreamClock.exactStart(microseconds: 5, own: nil) == Rational(microseconds: 5))
    }

    @Test("A seek goes to the last timestamp at or before the position", arguments: timeBases)
    func seekTarget(timeBase: (Int64, Int64)) throws {
        let clock = StreamClock(timeBase: try #require(Rational(timeBase.0, timeBase.1)), startMicroseconds: 500_000)
        var random = SeededGenerator(seed: 11)
        for _ in 0..<500 {
            let position = Int64.random(in: -1_000_000...100_000_000_000, using: &random)
            let timestamp = Int128(clock.timestamp(atOrBefore: position))
            // All values are multiples of 1/denominator µs, so that nothing is rounded.
            let limit = Int128(position + 500_000) * Int128(timeBase.1)
            #expect(timestamp * Int128(timeBase.0) * 1_000_000 <= limit)
            #expect((timestamp + 1) * Int128(timeBase.0) * 1_000_000 > limit)
        }
    }
}
