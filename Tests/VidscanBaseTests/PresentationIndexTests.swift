import Testing
import VidscanBase
import VidscanMedia

@Suite("Frame numbers")
struct PresentationIndexTests {
    @Test("Count every frame of the stream, also those that are never decoded")
    func undecodedFramesCount() {
        var index = PresentationIndex()
        for timestamp: Int64 in [0, 120, 40, 80, 240, 160, 200] { index.enter(timestamp) }
        #expect([0, 80, 240].map { index.index(of: $0) } == [0, 2, 6])
    }

    @Test("Go on from where reading began")
    func base() {
        var index = PresentationIndex(base: 750)
        for timestamp: Int64 in [30_000, 30_120, 30_040] { index.enter(timestamp) }
        #expect(index.index(of: 30_040) == 751)
    }

    @Test("A frame whose timestamp no packet had still counts")
    func unknownTimestamp() {
        var index = PresentationIndex()
        for timestamp: Int64 in [0, 40, 80] { index.enter(timestamp) }
        #expect([0, 41, 80].map { index.index(of: $0) } == [0, 2, 3])
    }

    @Test("Frames without timestamps are counted as they come")
    func noTimestamps() {
        var index = PresentationIndex()
        #expect((0..<4).map { _ in index.index(of: nil) } == [0, 1, 2, 3])
    }

    @Test("Two fields or frames of one timestamp are two frames")
    func equalTimestamps() {
        var index = PresentationIndex()
        for timestamp: Int64 in [0, 0, 40] { index.enter(timestamp) }
        #expect([0, 0, 40].map { index.index(of: $0) } == [0, 1, 2])
    }
}
