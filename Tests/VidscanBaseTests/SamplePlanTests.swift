import Testing
import TestSupport
import VidscanBase

@Suite("The sampling plan skips only packets that no sample needs")
struct SamplePlanTests {
    private static let rates: [(Int64, Int64)?] = [(5, 1), (2, 1), (7, 10), (12, 1), (1, 7), (30_000, 1001), nil]
    private static let windows = [1, 2, 5, 17, 60, 600]

    private func grid(rate: (Int64, Int64)?, start: Int64? = nil, end: Int64? = nil) throws -> SampleGrid {
        let clock = StreamClock(timeBase: try #require(Rational(1, 1000)), startMicroseconds: 0)
        let rate = try rate.map { SampleGrid.Rate.perSecond(try #require(Rational($0.0, $0.1))) }
        return SampleGrid(rate: rate ?? .everyFrame, clock: clock, start: start, end: end)
    }

    private func randomTraits(using random: inout SeededGenerator) -> ModelStream.Traits {
        ModelStream.Traits(
            openGroups: Bool.random(using: &random), recoveryPoints: Bool.random(using: &random),
            maximumReordering: Int.random(in: 0...7, using: &random), hasPyramids: Bool.random(using: &random),
            irregularTimes: Bool.random(using: &random),
            missingDecodingTimes: [0, 0, 0, 0.1, 1].randomElement(using: &random) ?? 0,
            marksDisposable: Bool.random(using: &random), hidesPackets: Bool.random(using: &random),
            longestGroup: [1, 8, 40, 200].randomElement(using: &random) ?? 40)
    }

    @Test("For any stream, the samples and their frame numbers are those of a full decode", arguments: 0..<600)
    func sameSamplesAsFullDecode(seed: UInt64) throws {
        try compareWithFullDecode(seed: seed, hasStart: false)
    }

    @Test(
        "A window has the same samples as a full decode, although the packets before it are skipped",
        arguments: 0..<600)
    func sameSamplesInWindow(seed: UInt64) throws {
        try compareWithFullDecode(seed: 10_000 + seed, hasStart: true)
    }

    private func compareWithFullDecode(seed: UInt64, hasStart: Bool) throws {
        var random = SeededGenerator(seed: seed)
        let traits = randomTraits(using: &random)
        let stream = ModelStream(traits: traits, groups: Int.random(in: 1...12, using: &random), using: &random)
        let last = max(1, stream.packets.map(\.timestamp).max() ?? 0)
        for rate in Self.rates {
            let start = hasStart ? Int64.random(in: 0...last, using: &random) * 1000 : nil
            let length = Int64.random(in: 1...last, using: &random) * 1000
            let end = Bool.random(using: &random) ? nil : (start ?? 0) + length
            let grid = try grid(rate: rate, start: start, end: end)
            let packets = Self.windows.randomElement(using: &random) ?? 600
            let bytes = Int.random(in: 1000...1_000_000, using: &random)
            var reader = ModelReader(
                stream, grid: grid, packets: packets, bytes: bytes, flushesAfterGap: Bool.random(using: &random),
                showsBrokenFrames: Bool.random(using: &random))
            reader.run()
            let expected = ModelReader.samplesOfFullDecode(stream, grid: grid)
            let place = firstDifference(reader.samples, expected)
            let context: Comment = """
                seed \(seed), rate \(String(describing: rate)), start \(String(describing: start)), \(packets) packets, \
                \(bytes) bytes, \(traits)
                """
            #expect(place == nil, context)
            #expect(reader.brokenSamples.isEmpty, context)
            #expect(!reader.beganAmiss, context)
            #expect(reader.maximumHeld <= packets, context)
        }
    }

    /// Describes the first difference between two lists of samples, which may have thousands of elements.
    private func firstDifference(_ got: [ModelReader.Sample], _ expected: [ModelReader.Sample]) -> String? {
        guard got != expected else { return nil }
        let place = zip(got, expected).prefix { $0 == $1 }.count
        let describe = { (list: [ModelReader.Sample]) in list.count > place ? "\(list[place])" : "the end" }
        return "sample \(place): got \(describe(got)), expected \(describe(expected))"
    }

    @Test(
        "After a packet without a timestamp everything is decoded, and no sample is lost",
        arguments: 0..<200)
    func missingPresentation(seed: UInt64) throws {
        var random = SeededGenerator(seed: 5000 + seed)
        var stream = ModelStream(traits: randomTraits(using: &random), groups: 6, using: &random)
        let number = Int.random(in: 0..<stream.packets.count, using: &random)
        stream.forgetPresentation(of: number)
        let grid = try grid(rate: (2, 1))
        var reader = ModelReader(stream, grid: grid, packets: 50)
        reader.run()
        #expect(firstDifference(reader.samples, ModelReader.samplesOfFullDecode(stream, grid: grid)) == nil)
        #expect(reader.brokenSamples.isEmpty)
        #expect(
            reader.actions[number...].allSatisfy {
                if case .decode = $0 { true } else { false }
            })
    }

    @Test(
        "Contradictory timestamps are not trusted",
        arguments: [
            // A packet that is presented before it is decoded; one whose decoding time decreases; one without
            // timestamps; and one whose timestamp is too large to be a real position.
            PacketSummary(presentation: 10, decoding: 11), PacketSummary(presentation: 300, decoding: 30),
            PacketSummary(presentation: nil, decoding: nil), PacketSummary(presentation: .max, decoding: 200),
        ])
    func contradictions(packet: PacketSummary) throws {
        var plan = SamplePlan(grid: try grid(rate: (1, 10)))
        plan.push(PacketSummary(presentation: 100, decoding: 100, isRandomAccessPoint: true))
        #expect(plan.isTrusted)
        plan.push(packet)
        #expect(!plan.isTrusted)
        for timestamp in 5..<100 {
            plan.push(PacketSummary(presentation: Int64(timestamp) * 100, decoding: Int64(timestamp) * 100))
        }
        var actions: [SamplePlan.Action] = []
        while let action = plan.next(atEnd: true) { actions.append(action) }
        #expect(actions == Array(repeating: .decode(afterGap: false), count: 97))
    }

    @Test("If a codec's packets cannot be skipped, all of them are decoded", arguments: 0..<10)
    func nothingPassedOver(seed: UInt64) throws {
        var random = SeededGenerator(seed: 9000 + seed)
        let stream = ModelStream(traits: randomTraits(using: &random), groups: 4, using: &random)
        var reader = ModelReader(stream, grid: try grid(rate: (1, 10)), allowsSkipping: false)
        reader.run()
        #expect(reader.actions == Array(repeating: .decode(afterGap: false), count: stream.packets.count))
    }

    /// A stream of 25 frames/s, with groups of up to 60 pictures and pyramids of up to three B-frames.
    private func regularStream() -> ModelStream {
        var random = SeededGenerator(seed: 3)
        var traits = ModelStream.Traits(hasPyramids: true)
        traits.longestGroup = 60
        return ModelStream(traits: traits, groups: 60, using: &random)
    }

    @Test("Fewer samples need fewer decoded frames")
    func costs() throws {
        let stream = regularStream()
        func share(_ rate: (Int64, Int64)) throws -> Double {
            var reader = ModelReader(stream, grid: try grid(rate: rate))
            reader.run()
            return Double(reader.decodedCount) / Double(stream.packets.count)
        }
        // One frame per 10 s needs half of one group of pictures in eight. Five frames per second need all references.
        let shares = (tenth: try share((1, 10)), five: try share((5, 1)), all: try share((25, 1)))
        #expect(shares.tenth < 0.15)
        #expect(shares.five < 0.80)
        #expect(shares.tenth < shares.five)
        #expect(shares.all == 1)
    }

    @Test("Packets after the last sample of a group of pictures are dropped, and decoding restarts at the next group")
    func restOfGroup() throws {
        var plan = SamplePlan(grid: try grid(rate: (1, 1)))
        for number in 0..<50 {
            let timestamp = Int64(number) * 40
            plan.push(
                PacketSummary(presentation: timestamp, decoding: timestamp, isRandomAccessPoint: number % 25 == 0))
        }
        var actions: [SamplePlan.Action] = []
        while let action = plan.next(atEnd: true) { actions.append(action) }
        let dropped = Array(repeating: SamplePlan.Action.drop, count: 24)
        #expect(actions == [.decode(afterGap: false)] + dropped + [.decode(afterGap: true)] + dropped)
    }

    @Test("Reading stops as soon as all later frames lie after the window")
    func pastEnd() throws {
        var plan = SamplePlan(grid: try grid(rate: (5, 1), end: 1_000_000))
        plan.push(PacketSummary(presentation: 1200, decoding: 960))
        #expect(!plan.isPastEnd)
        plan.push(PacketSummary(presentation: 1040, decoding: 1000))
        #expect(plan.isPastEnd)
    }
}
