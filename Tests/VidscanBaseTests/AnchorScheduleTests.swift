internal import Testing
internal import VidscanBase

@Suite("Anchors depend on the times of the samples and the size of the frames")
struct AnchorScheduleTests {
    private typealias Grouping = RunGrouping<Int64>

    private static let size = PictureSize(width: 640, height: 360)

    /// The runs of samples at these times, named by their times.
    private static func runs(
        _ schedule: AnchorSchedule, at times: [Int64], epoch: (Int64) -> Int = { _ in 0 },
        size: (Int64) -> PictureSize = { _ in AnchorScheduleTests.size }, byteCount: Int = 1
    ) -> [Grouping.Run] {
        var grouping = Grouping(schedule)
        let runs = times.flatMap {
            grouping.add($0, at: ($0, epoch($0), size($0), byteCount))
        }
        return runs + grouping.finish()
    }

    private static func times(_ rate: Int64, seconds: Int64) -> [Int64] {
        (0..<rate * seconds).map { $0 * 1_000_000 / rate }
    }

    @Test(
        "A stride lasts three samples, but at least 0.3 s and at most 0.6 s",
        arguments: [("25", 300_000), ("10", 300_000), ("8", 375_000), ("5", 600_000), ("1", 600_000)])
    func strides(rate: String, microseconds: Int64) throws {
        let rate = try #require(SampleGrid.Rate(rate))
        #expect(AnchorSchedule(rate: rate).strideMicroseconds == microseconds)
        #expect(AnchorSchedule(rate: .everyFrame).strideMicroseconds == 300_000)
    }

    @Test("Every sample is in one run, in order", arguments: [1, 2, 5, 25, 30, 60])
    func complete(rate: Int64) {
        let times = Self.times(rate, seconds: 10)
        let runs = Self.runs(AnchorSchedule(rate: .everyFrame), at: times)
        #expect(runs.flatMap(\.samples) == times)
        #expect(runs.allSatisfy { !$0.samples.isEmpty })
    }

    @Test("An anchor begins each stride and ends each chunk, and the chunk after it begins anew")
    func anchors() throws {
        let schedule = AnchorSchedule(rate: .everyFrame)
        let runs = Self.runs(schedule, at: Self.times(10, seconds: 6))
        let anchors = runs.compactMap(\.samples.last)
        let inFirstChunk: [Int64] = [0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 29].map { $0 * 100_000 }
        #expect(anchors == inFirstChunk + inFirstChunk.map { $0 + 3_000_000 })
        #expect(runs.filter(\.isFirst).map(\.samples) == [[0], [3_000_000]])
    }

    @Test("A chunk gives the same runs by itself as in the whole video")
    func chunksAreIndependent() {
        let schedule = AnchorSchedule(rate: .everyFrame)
        let times = Self.times(24, seconds: 9)
        let whole: [[Int64]] = Self.runs(schedule, at: times).map(\.samples)
        let parts: [[Int64]] = (0..<3).flatMap { chunk in
            Self.runs(schedule, at: times.filter { AnchorSchedule.chunk(at: $0) == chunk }).map(\.samples)
        }
        #expect(parts == whole)
    }

    @Test("Nothing connects samples of different epochs or sizes")
    func connections() {
        let times = Self.times(10, seconds: 2)
        let schedule = AnchorSchedule(rate: .everyFrame)
        for runs in [
            Self.runs(schedule, at: times, epoch: { $0 < 500_000 ? 0 : 1 }),
            Self.runs(
                schedule, at: times, size: { $0 < 500_000 ? Self.size : PictureSize(width: 360, height: 640) }),
        ] {
            #expect(runs.filter(\.isFirst).map(\.samples) == [[0], [500_000]])
            #expect(runs.contains { $0.samples == [400_000] && !$0.isFirst })
        }
    }

    @Test("The number of samples and the memory limit a run")
    func limits() {
        let times = Self.times(60, seconds: 2)
        let single = Self.runs(AnchorSchedule(rate: .everyFrame, maximumSamples: 1), at: times)
        #expect(single.count == times.count && single.allSatisfy(\.isFirst))
        let four = Self.runs(AnchorSchedule(rate: .everyFrame, maximumSamples: 4), at: times)
        #expect(four.map(\.samples.count).max() == 4)
        let large = Self.runs(AnchorSchedule(rate: .everyFrame, maximumBytes: 36), at: times, byteCount: 12)
        #expect(large.map(\.samples.count).max() == 3)
        let huge = Self.runs(AnchorSchedule(rate: .everyFrame, maximumBytes: 10), at: times, byteCount: 12)
        #expect(huge.allSatisfy { $0.samples.count == 1 })
    }

    @Test("Times before 0 are in chunks of the same length")
    func negativeTimes() {
        #expect(AnchorSchedule.chunk(at: -1) == -1)
        #expect(AnchorSchedule.chunk(at: -3_000_000) == -1)
        #expect(AnchorSchedule.chunk(at: -3_000_001) == -2)
        #expect(AnchorSchedule.nearestBorder(to: 1_499_999) == 0)
        #expect(AnchorSchedule.nearestBorder(to: 1_500_000) == 3_000_000)
        #expect(AnchorSchedule.nearestBorder(to: -1_600_000) == -3_000_000)
    }
}
