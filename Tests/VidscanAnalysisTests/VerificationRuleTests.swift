import Testing
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
}
