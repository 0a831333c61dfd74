import Glibc
import Testing
import TestSupport
import VidscanFaces

@Suite("Nods and shakes are rhythmic movements of the head")
struct HeadGestureTests {
    /// 12 samples per second for 6 s; `nil` are not seen.
    private static func gestures(
        noise: Double = 0.3, seed: UInt64 = 1, rate: Double = 12, _ pose: (Double) -> (yaw: Double, pitch: Double)?
    ) -> [Episode] {
        var (detector, generator) = (HeadGestureDetector(faceID: 1), SeededGenerator(seed: seed))
        var found: [Episode] = []
        for sample in 0..<Int(6 * rate) {
            let time = Double(sample) / rate
            func jitter() -> Double { noise == 0 ? 0 : Double.random(in: -noise...noise, using: &generator) }
            let angles = pose(time)
            found += detector.update(
                yaw: angles.map { $0.yaw + jitter() }, pitch: angles.map { $0.pitch + jitter() },
                at: Int64((time * 1e6).rounded()))
        }
        return found + detector.finish()
    }

    /// A movement of `degrees` from peak to peak, from 2 s on.
    private static func wave(_ time: Double, degrees: Double, rate: Double, cycles: Double) -> Double {
        guard time >= 2, time <= 2 + cycles / rate else { return 0 }
        return degrees / 2 * (cos(2 * .pi * rate * (time - 2)) - 1)
    }

    @Test("A nod is found with its time and the size of its half-cycles", arguments: 1..<6 as Range<UInt64>)
    func nod(seed: UInt64) throws {
        let found = Self.gestures(seed: seed) { (5, Self.wave($0, degrees: 8, rate: 1.5, cycles: 3)) }
        let gesture = try #require(found.first)
        #expect(found.count == 1 && gesture.kind == .nod && gesture.faceID == 1)
        #expect(abs(Double(gesture.startMicroseconds) / 1e6 - 2) < 0.35)
        #expect(abs(Double(gesture.endMicroseconds) / 1e6 - 4) < 0.35)
        #expect(abs(try #require(gesture.mean) - 8) < 1.5)
    }

    @Test("More samples per second do not hide gestures in their noise", arguments: [12, 15, 25, 30, 60] as [Double])
    func rates(rate: Double) {
        for seed in 1..<6 as Range<UInt64> {
            let found = Self.gestures(noise: 0.8, seed: seed, rate: rate) {
                (Self.wave($0, degrees: 7, rate: 2, cycles: 3), 0)
            }
            #expect(found.map(\.kind) == [.shake])
        }
    }

    @Test("A shake is found, also while the head slowly turns and nods a little")
    func shake() {
        let found = Self.gestures {
            (Self.wave($0, degrees: 12, rate: 1.5, cycles: 2) + 1.5 * $0, 0.5 * $0)
        }
        #expect(found.map(\.kind) == [.shake])
        #expect(found.first.map { $0.measuredSeconds > 0.7 } == true)
    }

    @Test("A gesture that has not ended when the face disappears counts, and one with a gap in it is cut there")
    func gap() {
        #expect(
            Self.gestures { $0 < 3.9 ? (0, Self.wave($0, degrees: 8, rate: 1.5, cycles: 9)) : nil }.map(\.kind)
                == [.nod])
        let cut = Self.gestures {
            (3.2..<3.7).contains($0) ? nil : (0, Self.wave($0, degrees: 8, rate: 1.5, cycles: 1.5 * 4))
        }
        #expect(cut.count == 2 && cut.allSatisfy { $0.measuredSeconds < 8 * 0.5 / 1.5 })
    }

    @Test("What of a gesture may be missing is known: at the first and last sample, and at gaps")
    func seen() {
        func ends(_ isVisible: (Double) -> Bool) -> [[Bool]] {
            Self.gestures { isVisible($0) ? (0, Self.wave($0, degrees: 8, rate: 1.5, cycles: 4)) : nil }
                .map { [$0.isStartSeen, $0.isEndSeen] }
        }
        #expect(ends { _ in true } == [[true, true]])
        #expect(ends { $0 < 3.9 } == [[true, false]])
        #expect(ends { $0 > 2.4 } == [[false, true]])
        #expect(ends { $0 > 2.4 && $0 < 3.9 } == [[false, false]])
        #expect(ends { !(3.4..<3.8).contains($0) } == [[true, false], [false, true]])
    }

    @Test("Slow turns, single movements, small movements and noise are no gestures")
    func others() {
        #expect(Self.gestures { (40 * sin($0), 20 * sin(0.7 * $0)) }.isEmpty)
        #expect(Self.gestures { (0, Self.wave($0, degrees: 15, rate: 1, cycles: 1)) }.isEmpty)
        #expect(Self.gestures { (0, Self.wave($0, degrees: 2, rate: 2, cycles: 8)) }.isEmpty)
        for seed in 1..<20 as Range<UInt64> { #expect(Self.gestures(noise: 1.2, seed: seed) { _ in (0, 0) }.isEmpty) }
        // Faster than a head moves.
        #expect(Self.gestures(noise: 0, rate: 30) { (0, 4 * sin(2 * .pi * 7 * $0)) }.isEmpty)
    }

    @Test("The head of somebody who talks moves in both directions, and not in a rhythm")
    func talking() {
        #expect(
            Self.gestures {
                (4 * sin(2 * .pi * 1.7 * $0) + 3 * sin(2 * .pi * 0.6 * $0), 3 * sin(2 * .pi * 2.2 * $0 + 1))
            }.isEmpty)
    }
}
