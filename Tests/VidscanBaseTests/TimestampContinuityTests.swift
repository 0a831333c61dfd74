import Testing
import VidscanBase

@Suite("Timestamps that jump become one continuous time line")
struct TimestampContinuityTests {
    private typealias Times = TimestampContinuity.Times

    /// The clock counts milliseconds, and the frame rate is 25 frames/s.
    private func continuity(forwardIsJump: Bool = true) throws -> TimestampContinuity {
        TimestampContinuity(
            clock: StreamClock(timeBase: try #require(Rational(1, 1000)), startMicroseconds: 0), frameDuration: 40,
            forwardIsJump: forwardIsJump)
    }

    private func times(_ timestamps: some Sequence<Int64>) -> [Times] {
        timestamps.map { Times(presentation: $0, decoding: $0) }
    }

    /// Passes the packets through one by one.
    private func line(
        _ packets: [Times], isRandomAccessPoint: Bool = true, forwardIsJump: Bool = true
    ) throws -> (presentations: [Int64?], jumps: [TimestampDiscontinuity]) {
        var continuity = try continuity(forwardIsJump: forwardIsJump)
        var jumps: [TimestampDiscontinuity] = []
        let moved = packets.map { packet in
            if continuity.jumps(at: packet) {
                jumps.append(continuity.begin([packet], isRandomAccessPoint: isRandomAccessPoint))
            }
            return continuity.move(packet).presentation
        }
        return (moved, jumps)
    }

    @Test("After a jump, the clock continues from the frame before it", arguments: [-5000, -1041, 10_041, 90_000_000])
    func jump(step: Int64) throws {
        let first = times(stride(from: 100_000, to: 102_000, by: 40))
        let second = times(stride(from: 102_000 + step, to: 104_000 + step, by: 40))
        let (line, jumps) = try line(first + second)
        #expect(line == Array(stride(from: 100_000, to: 104_000, by: 40)))
        #expect(
            jumps == [TimestampDiscontinuity(microseconds: 102_000_000, jumpMicroseconds: step * 1000)])
    }

    @Test("Jitter and pauses below the limits are not jumps", arguments: [-1000, -500, -1, 0, 1, 500, 9999])
    func jitter(step: Int64) throws {
        let packets = times([0, 40, 80, 80 + step, 160 + step])
        let (line, jumps) = try line(packets)
        #expect(line == packets.map(\.presentation))
        #expect(jumps.isEmpty)
    }

    @Test("A long pause is a jump only in formats whose clock may reset; a step back is always a jump")
    func pauses() throws {
        let (paused, none) = try line(times([0, 40, 3_600_000, 3_600_040]), forwardIsJump: false)
        #expect(paused == [0, 40, 3_600_000, 3_600_040])
        #expect(none.isEmpty)
        let (line, jumps) = try line(times([5000, 5040, 0, 40]), forwardIsJump: false)
        #expect(line == [5000, 5040, 5080, 5120])
        #expect(jumps.count == 1)
    }

    @Test("Long frames are not jumps")
    func slides() throws {
        let packets = (0..<5).map { Times(presentation: $0 * 15_000, decoding: $0 * 15_000, duration: 15_000) }
        let (line, jumps) = try line(packets)
        #expect(line == packets.map(\.presentation))
        #expect(jumps.isEmpty)
    }

    @Test("If a jump comes at a keyframe, the first frame presented after it follows the last one before it")
    func reorderingAtRestart() throws {
        var continuity = try continuity()
        // The old packets have no reordering delay. The new ones are decoded as I P B B, with a delay.
        let old: [(Int64, Int64)] = [(10_000, 10_000), (10_040, 10_040), (10_080, 10_080)]
        let new: [(Int64, Int64)] = [(80, 0), (200, 40), (120, 80), (160, 120)]
        let presentations = old.map { continuity.move(Times(presentation: $0.0, decoding: $0.1)).presentation }
        #expect(presentations == [10_000, 10_040, 10_080])
        let packets = new.map { Times(presentation: $0.0, decoding: $0.1) }
        #expect(continuity.jumps(at: packets[0]))
        _ = continuity.begin(packets, isRandomAccessPoint: true)
        let moved = packets.map { continuity.move($0) }
        #expect(moved.map(\.presentation) == [10_120, 10_240, 10_160, 10_200])
        // Decoding times never decrease.
        #expect(moved.map(\.decoding) == [10_080, 10_080, 10_120, 10_160])
    }

    @Test("If a jump comes between keyframes, frames of the old and the new clock are presented in turn")
    func reorderingInMidStream() throws {
        var continuity = try continuity()
        // I P | B B P: both B-frames are shown before the P-frame that was decoded first.
        _ = continuity.move(Times(presentation: 10_080, decoding: 10_000))
        #expect(continuity.move(Times(presentation: 10_200, decoding: 10_040)).presentation == 10_200)
        let packets = [(120, 80), (160, 120), (320, 160)].map { Times(presentation: $0.0, decoding: $0.1) }
        #expect(continuity.jumps(at: packets[0]))
        let jump = continuity.begin(packets, isRandomAccessPoint: false)
        #expect(packets.map { continuity.move($0).presentation } == [10_120, 10_160, 10_320])
        #expect(jump == TimestampDiscontinuity(microseconds: 10_120_000, jumpMicroseconds: -10_000_000))
    }

    @Test("Without decoding times, reordering is not a jump, and a larger step back is")
    func withoutDecodingTimes() throws {
        let order: [Int64] = [0, 3, 1, 2, 6, 4, 5, 9, 7, 8]
        let slow = order.map { Times(presentation: $0 * 1000, decoding: nil, duration: 1000) }
        #expect(try line(slow).jumps.isEmpty)
        let back = slow.map { Times(presentation: ($0.presentation ?? 0) + 100_000, decoding: nil, duration: 1000) }
        let (line, jumps) = try line(back + slow)
        #expect(jumps.count == 1)
        #expect(line.suffix(10) == order.map { 110_000 + $0 * 1000 }[...])
    }

    @Test("Packets with missing or impossible times are unchanged")
    func noTimes() throws {
        let (line, jumps) = try line([
            Times(presentation: nil, decoding: nil), Times(presentation: .max, decoding: .max),
            Times(presentation: 0, decoding: 0), Times(presentation: nil, decoding: nil),
            Times(presentation: .min + 1, decoding: .min + 1), Times(presentation: 40, decoding: 40),
        ])
        #expect(line == [nil, .max, 0, nil, .min + 1, 40])
        #expect(jumps.isEmpty)
    }

    @Test("Audio packets follow the video into their epoch, whichever stream jumps first")
    func companions() {
        var clock = CompanionClock(forwardIsJump: true, isContinuous: true)
        let second: Int64 = 1_000_000
        func assign(_ time: Int64, _ offsets: [Int64], _ video: Int64, isLate: Bool = false) -> Int? {
            clock.assign(time, duration: second / 2, offsets: offsets, videoPosition: video, isLate: isLate)
        }
        #expect(assign(10 * second, [0], 10 * second) == 0)
        // The audio of the new epoch arrives before the video jumps, so it waits.
        #expect(assign(0, [0], 10 * second) == nil)
        // Audio of the old epoch arrives after the video has jumped.
        let offsets = [0, 11 * second]
        #expect(assign(10 * second + second / 2, offsets, 11 * second) == 0)
        #expect(assign(0, offsets, 11 * second) == 1)
        #expect(assign(second / 2, offsets, 11 * second) == 1)
        // If only this stream jumps, the jump is accepted in the end.
        #expect(assign(-5 * second, offsets, 12 * second) == nil)
        #expect(assign(-5 * second, offsets, 12 * second, isLate: true) == 1)
    }

    @Test("Audio follows the video's jump although it lasted longer than the video before")
    func longerCompanion() {
        var clock = CompanionClock(forwardIsJump: true, isContinuous: true)
        let second: Int64 = 1_000_000
        #expect(
            clock.assign(8 * second, duration: 2 * second, offsets: [0], videoPosition: 8 * second, isLate: false) == 0)
        for duration in [0, second] {
            #expect(
                clock.assign(
                    duration, duration: second, offsets: [0, 9 * second], videoPosition: 9 * second, isLate: false) == 1
            )
        }
    }
}
