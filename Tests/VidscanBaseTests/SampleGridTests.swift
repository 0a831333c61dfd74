import Testing
import TestSupport
import VidscanBase

@Suite("The sampling grid decides which frames are samples")
struct SampleGridTests {
    /// Returns the timestamps of the selected frames.
    private func taken(_ timestamps: [Int64], by grid: SampleGrid) -> [Int64] {
        var selector = FrameSelector(grid: grid)
        return timestamps.filter { selector.selects($0) }
    }

    private func grid(
        _ rate: (Int64, Int64)?, timeBase: (Int64, Int64), startOfContainer: Int64 = 0, start: Int64? = nil,
        end: Int64? = nil
    ) throws -> SampleGrid {
        let rate = try rate.map { SampleGrid.Rate.perSecond(try #require(Rational($0.0, $0.1))) } ?? .everyFrame
        let clock = StreamClock(
            timeBase: try #require(Rational(timeBase.0, timeBase.1)), startMicroseconds: startOfContainer)
        return SampleGrid(rate: rate, clock: clock, start: start, end: end)
    }

    @Test("A rate is read from its text, and every frame is more than any number of frames per second")
    func rates() throws {
        let rates = try ["0.5", "30000/1001", "30", "1000000", "every-frame"].map {
            try #require(SampleGrid.Rate($0), "\($0)")
        }
        #expect(rates.map(\.description) == ["1/2", "30000/1001", "30", "1000000", "every-frame"])
        for (lesser, greater) in zip(rates, rates.dropFirst()) {
            #expect(lesser < greater && !(greater < lesser), "\(lesser) \(greater)")
        }
        for text in ["", "0", "-1", "5 ", "every", "1/0"] { #expect(SampleGrid.Rate(text) == nil, "\(text)") }
    }

    @Test("Each tick selects the first frame at or after it")
    func firstFrameAtOrAfter() throws {
        let grid = try grid((1, 1), timeBase: (1, 1000))
        #expect(taken([0, 400, 999, 1001, 1400, 2000, 2001], by: grid) == [0, 1001, 2000])
    }

    @Test("A frame that is the first after several ticks is selected once")
    func oneFrameForManyTicks() throws {
        let grid = try grid((10, 1), timeBase: (1, 1000))
        #expect(taken([0, 5000, 5001, 5099, 5100], by: grid) == [0, 5000, 5100])
    }

    @Test(
        "A frame exactly on a tick is selected, even if the tick has no exact binary fraction",
        arguments: [(30, 12, 1), (30, 5, 1), (30, 15, 1), (25, 5, 1), (25, 7, 10), (24, 12, 1), (24, 24, 5)])
    func exactTies(framesPerSecond: Int64, rate: Int64, over divisor: Int64) throws {
        let grid = try grid((rate, divisor), timeBase: (1, framesPerSecond))
        // At frame n, ⌊n · rate / (framesPerSecond · divisor)⌋ ticks have passed, not counting the one at 0.
        let ticks = (0..<6000).map { $0 * rate / (framesPerSecond * divisor) }
        let expected = (0..<6000).filter { $0 == 0 || ticks[$0] > ticks[$0 - 1] }.map(Int64.init)
        #expect(taken(Array(0..<6000), by: grid) == expected)
    }

    @Test("NTSC frame times still match their ticks exactly after ten hours")
    func ntscTies() throws {
        // Every fourth frame at 30000/1001 frames/s is exactly on a tick of 7500/1001 per second.
        let grid = try grid((7500, 1001), timeBase: (1, 30000))
        var selector = FrameSelector(grid: grid)
        let frames: [Int64] = Array(0..<8) + Array(1_078_900..<1_078_908)
        let taken = frames.filter { selector.selects($0 * 1001) }
        #expect(taken == [0, 4, 1_078_900, 1_078_904])
    }

    @Test("A rate above the frame rate selects every frame")
    func fasterThanTheVideo() throws {
        let grid = try grid((1000, 1), timeBase: (1, 25))
        #expect(taken(Array(0..<100), by: grid) == Array(0..<100))
    }

    @Test("Tick 0 is at the container's start time, not at the first frame")
    func startOfContainer() throws {
        // The container starts 24 ms before the video, so the tick at 0.2 s is at 0.176 s on the video's own timeline.
        let grid = try grid((5, 1), timeBase: (1, 1000), startOfContainer: 12_321_000)
        #expect(taken([12_345, 12_520, 12_521, 12_720, 12_721], by: grid) == [12_345, 12_521, 12_721])
    }

    @Test("Frames before time 0 are not selected by a rate")
    func beforeZero() throws {
        let grid = try grid((5, 1), timeBase: (1, 1000), startOfContainer: 1_000_000)
        #expect(taken([900, 999, 1000, 1001], by: grid) == [1000])
        let everyFrame = try self.grid(nil, timeBase: (1, 1000), startOfContainer: 1_000_000)
        #expect(taken([900, 999, 1000], by: everyFrame) == [900, 999, 1000])
    }

    @Test("A window includes its start and excludes its end")
    func halfOpenWindow() throws {
        let grid = try grid(nil, timeBase: (1, 25), start: 40_000, end: 120_000)
        #expect(taken(Array(0..<6), by: grid) == [1, 2])
    }

    @Test("A window gives exactly its rows of a run without a window, for any rate and any gaps", arguments: 0..<40)
    func windowsOfWholeRun(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var timestamp: Int64 = 0
        let timestamps = (0..<400).map { _ in
            timestamp += Int64.random(in: 1...(Bool.random(using: &random) ? 50 : 400), using: &random)
            return timestamp
        }
        let rate = (Int64.random(in: 1...30_000, using: &random), Int64.random(in: 1...1001, using: &random))
        let start = Int64.random(in: 0...timestamp, using: &random) * 1000
        let end = start + Int64.random(in: 1...timestamp, using: &random) * 1000
        let whole = taken(timestamps, by: try grid(rate, timeBase: (1, 1000)))
        let window = taken(timestamps, by: try grid(rate, timeBase: (1, 1000), start: start, end: end))
        #expect(window == whole.filter { $0 * 1000 >= start && $0 * 1000 < end })
    }

    @Test("The samples depend only on the timestamps and the rate", arguments: 0..<40)
    func countFollowsFromTimestamps(seed: UInt64) throws {
        var random = SeededGenerator(seed: 1000 + seed)
        let timeBase = [(1, 90_000), (1, 1000), (1001, 30_000), (1, 12_800)].randomElement(using: &random)
        let base = try #require(timeBase)
        let rate = (Int64.random(in: 1...200, using: &random), Int64.random(in: 1...100, using: &random))
        let grid = try grid(rate, timeBase: (Int64(base.0), Int64(base.1)))
        var timestamp: Int64 = 0
        var expected: [Int64] = []
        var timestamps: [Int64] = []
        var predecessor: Int64 = -1
        for _ in 0..<500 {
            timestamp += Int64.random(in: 1...Int64(max(1, base.1 / 10)), using: &random)
            timestamps.append(timestamp)
            // The last tick at or before t is ⌊t · rate⌋. Integer arithmetic makes it exact.
            let tick = timestamp * Int64(base.0) * rate.0 / (Int64(base.1) * rate.1)
            if tick > predecessor { expected.append(timestamp) }
            predecessor = max(tick, predecessor)
        }
        #expect(taken(timestamps, by: grid) == expected)
    }

    @Test(
        "No frame is lost, for any start time and any time base",
        arguments: [(1, 90_000), (1, 30_000), (1, 12_800), (1001, 30_000), (1, 1_000_000)])
    func anyStart(numerator: Int64, denominator: Int64) throws {
        let timeBase = try #require(Rational(numerator, denominator))
        var random = SeededGenerator(seed: UInt64(denominator))
        // About 24 frames/s. The duration of a frame is a whole number of ticks.
        let duration = max(1, denominator / (24 * numerator))
        for number in 0..<200 {
            let first = number < 100 ? Int64(number) : Int64.random(in: 0...(1 << 33), using: &random)
            let own = TimestampInBase(first, timeBase)
            let microseconds = own.roundedMicroseconds
            let clock = StreamClock(
                timeBase: timeBase, startMicroseconds: microseconds,
                start: StreamClock.exactStart(microseconds: microseconds, own: own))
            let frames = (0..<60).map { first + $0 * duration }
            let rate = try #require(Rational(denominator, duration * numerator))
            #expect(
                taken(frames, by: SampleGrid(rate: .perSecond(rate), clock: clock)) == frames, "start \(first)")
            let five = SampleGrid(rate: .perSecond(try #require(Rational(5, 1))), clock: clock)
            let expected = frames.enumerated().filter { index, _ in
                let tick = { (index: Int) in Int64(index) * duration * numerator * 5 / denominator }
                return index == 0 || tick(index) > tick(index - 1)
            }.map(\.element)
            #expect(taken(frames, by: five) == expected, "start \(first)")
            #expect(clock.isAtOrAfter(0, first))
            var plan = SamplePlan(grid: five)
            plan.push(PacketSummary(presentation: first, decoding: first, isRandomAccessPoint: true))
            #expect(plan.next(atEnd: true) == .decode(afterGap: false), "start \(first)")
        }
    }

    @Test("Extreme timestamps neither overflow nor trap")
    func absurdTimestamps() throws {
        let grid = try grid((1_000_000_000, 1), timeBase: (1, 1))
        for timestamp in [Int64.max, .min, .max - 1, 1 << 62, -(1 << 62)] {
            #expect(!grid.clock.isPlausible(timestamp))
        }
        #expect(grid.clock.isPlausible(1 << 33))
        #expect(grid.ticks(upTo: 1 << 33) == 1_000_000_000 * (1 << 33) + 1)
        #expect(grid.ticks(upTo: -1) == 0)
    }
}
