import Testing
import VidscanBase
import VidscanMedia
import VidscanVerify

@Suite("Three frames of an original are always searched, and always long enough for a finding")
struct VerificationRuleTests {
    /// The groups of frames at these times, by the positions of the frames.
    private static func groups(_ times: [Int64]) -> [[Int]] {
        var groups: [[Int]] = []
        for (index, time) in times.enumerated() {
            if let first = groups.last?.first,
                Verification.isTogether(time, from: times[first], count: groups[groups.count - 1].count)
            {
                groups[groups.count - 1].append(index)
            } else {
                groups.append([index])
            }
        }
        return groups
    }

    @Test("Of three successive frames, one is the middle of its group, and another one is in the same group")
    func splices() {
        for rate in [24, 25, 30, 50, 60] {
            let groups = Self.groups((0..<60).map { Int64($0 * 1_000_000 / rate) })
            for begin in 0..<57 {
                let shown = begin...begin + 2
                let searched = groups.filter { shown.contains($0[$0.count / 2]) }.flatMap { $0 }.filter(shown.contains)
                #expect(searched.count >= 2, "\(rate) frames per second, from frame \(begin)")
                #expect(Verification.isLong(frames: searched.count, microseconds: 0))
            }
        }
    }

    @Test("Frames that last 0.1 s are all searched, and one is long enough")
    func slow() {
        #expect(Self.groups([0, 100_000, 200_000, 1_200_000]).allSatisfy { $0.count == 1 })
        #expect(Verification.isLong(frames: 1, microseconds: 100_000))
        #expect(Verification.isLong(frames: 1, microseconds: nil))
        #expect(!Verification.isLong(frames: 1, microseconds: 40_000))
    }

    @Test(
        "A face is within a tile of the frame that is small enough to show it",
        arguments: [(1920.0, 1080.0), (640, 360), (360, 640), (500, 500), (2048, 858)])
    func tiles(width: Double, height: Double) {
        let shorter = min(width, height)
        let squares = FaceSearch.squares(width: width, height: height)
        // The largest face that only the smallest tiles need to show, and one that half of the frame's shorter side holds.
        for (side, tile) in [(shorter / 8, shorter / 2), (shorter / 2, shorter)] {
            let tiles = squares.map(\.area).filter { $0.side == tile }
            for row in 0...40 {
                for column in 0...40 {
                    let (x, y) = ((width - side) * Double(column) / 40, (height - side) * Double(row) / 40)
                    let holds = tiles.contains { square in
                        abs(square.center.x - x - side / 2) <= (tile - side) / 2 + 1e-6
                            && abs(square.center.y - y - side / 2) <= (tile - side) / 2 + 1e-6
                    }
                    #expect(holds, "\(side) px at \(x), \(y)")
                }
            }
        }
        #expect(FaceSearch.squares(width: 320, height: 180).allSatisfy { $0.area.side >= 180 })
    }
}
