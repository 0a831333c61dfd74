import Testing
import VidscanBase
import VidscanRender

/// Samples are 40 ms apart. The face was last seen in sample 10 or is next seen in sample 30; the hold time is 0.5 s.
@Suite("A cover outlasts its face, but not the shot")
struct CoverHoldTests {
    private static let face = Rectangle(x: 100, y: 100, width: 100, height: 120)
    private static let other = Rectangle(x: 400, y: 80, width: 90, height: 110)

    /// The sizes of the cover in samples 0 to 39.
    private static func sizes(
        seen: Int, cuts: [Int] = [], seconds: Double = 0.5, _ boxes: @escaping (Int) -> [Rectangle] = { _ in [] }
    ) -> [Double] {
        let samples = (0..<40).map { (microseconds: Int64($0) * 40_000, boxes: boxes($0)) }
        return samples.map {
            CoverHold(seconds: seconds).size(
                seen: Int64(seen) * 40_000, now: $0.microseconds, samples: samples,
                hardCuts: cuts.map { Int64($0) * 40_000 })
        }
    }

    @Test("Without a cut, it is whole for the hold time, and then shrinks where the face was last seen")
    func fades() {
        let after = Self.sizes(seen: 10)
        #expect(after[10...22].allSatisfy { $0 == 1 })
        #expect(zip(after[22...27], after[23...28]).allSatisfy { $0 > $1 || $0 == 0 } && after[26] > 0)
        #expect(after[28...].allSatisfy { $0 == 0 })
        let before = Self.sizes(seen: 30)
        #expect(before[18...30].allSatisfy { $0 == 1 } && before[..<18].allSatisfy { $0 == 0 })
        #expect(Self.sizes(seen: 10, seconds: 0) == (0..<40).map { $0 == 10 ? 1 : 0 })
    }

    @Test("A hard cut ends it, but not in the frames at the cut")
    func cut() {
        let after = Self.sizes(seen: 10, cuts: [15])
        #expect(after[10...16].allSatisfy { $0 == 1 } && after[17...].allSatisfy { $0 == 0 })
        let before = Self.sizes(seen: 30, cuts: [25])
        #expect(before[24...30].allSatisfy { $0 == 1 } && before[..<24].allSatisfy { $0 == 0 })
        // The face is in the first sample of the new shot, or in the last one of the old.
        #expect(Self.sizes(seen: 10, cuts: [10])[11...22].allSatisfy { $0 == 1 })
        #expect(Self.sizes(seen: 10, cuts: [11])[11...12].allSatisfy { $0 == 1 })
        #expect(Self.sizes(seen: 10, cuts: [11])[13...].allSatisfy { $0 == 0 })
    }

    @Test("At a low frame rate, the first frame of the new shot is covered, and no other one")
    func lowRate() {
        let samples = (0..<6).map { (microseconds: Int64($0) * 200_000, boxes: [Rectangle]()) }
        let sizes = samples.map {
            CoverHold(seconds: 1).size(seen: 200_000, now: $0.microseconds, samples: samples, hardCuts: [400_000])
        }
        #expect(sizes == [1, 1, 1, 0, 0, 0])
    }

    @Test("A cut at which a face goes on may be wrong, so that it ends nothing")
    func doubtful() {
        let goesOn = Self.sizes(seen: 10, cuts: [15]) { _ in [Self.other] }
        #expect(goesOn == Self.sizes(seen: 10))
        let moved = Self.sizes(seen: 10, cuts: [15]) { [$0 < 15 ? Self.other : Self.face] }
        #expect(moved == Self.sizes(seen: 10, cuts: [15]))
        // The other face was not found in the two samples before the cut.
        let gap = Self.sizes(seen: 10, cuts: [15]) { [13, 14].contains($0) ? [] : [Self.other] }
        #expect(gap == Self.sizes(seen: 10))
    }

    @Test("A cut whose other side is not known ends nothing")
    func unknown() {
        let samples = (10..<14).map { (microseconds: Int64($0) * 40_000, boxes: [Self.face]) }
        let size = CoverHold(seconds: 0.5).size(
            seen: 400_000, now: 700_000, samples: samples, hardCuts: [600_000])
        #expect(size == 1)
    }
}
