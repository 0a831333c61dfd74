import Testing
import VidscanBase

@Suite("A frame number counts all frames of the stream")
struct PresentationIndexTests {
    @Test("Frames that are never decoded are counted too")
    func undecodedFramesCount() {
        var index = PresentationIndex()
        for timestamp: Int64 in [0, 120, 40, 80, 240, 160, 200] { index.insert(timestamp) }
        #expect([0, 80, 240].map { index.index(of: $0) } == [0, 2, 6])
    }

    @Test("After a seek, numbers continue from the given base")
    func base() {
        var index = PresentationIndex(base: 750)
        for timestamp: Int64 in [30_000, 30_120, 30_040] { index.insert(timestamp) }
        #expect(index.index(of: 30_040) == 751)
    }

    @Test("A frame whose timestamp belongs to no packet is counted")
    func unknownTimestamp() {
        var index = PresentationIndex()
        for timestamp: Int64 in [0, 40, 80] { index.insert(timestamp) }
        #expect([0, 41, 80].map { index.index(of: $0) } == [0, 2, 3])
    }

    @Test("Frames without timestamps are counted in decoding order")
    func noTimestamps() {
        var index = PresentationIndex()
        #expect((0..<4).map { _ in index.index(of: nil) } == [0, 1, 2, 3])
    }

    @Test("Two frames with the same timestamp get two numbers")
    func equalTimestamps() {
        var index = PresentationIndex()
        for timestamp: Int64 in [0, 0, 40] { index.insert(timestamp) }
        #expect([0, 0, 40].map { index.index(of: $0) } == [0, 1, 2])
    }
}
