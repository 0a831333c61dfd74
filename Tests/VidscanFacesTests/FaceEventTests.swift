import Testing
import TestSupport
import VidscanBase
import VidscanFaces

@Suite("Face events follow their thresholds")
struct FaceEventTests {
    private static func observed(
        _ values: [Double?], rate: Double, detectsBlinks: Bool = true,
        _ measurement: (Double?) -> FaceEventDetector.Measurement
    ) -> [ObservedEpisode] {
        var detector = FaceEventDetector(faceID: 7, options: EventOptions(), detectsBlinks: detectsBlinks)
        var observed: [ObservedEpisode] = []
        for (number, value) in values.enumerated() {
            observed += detector.update(
                measurement(value), at: Int64((Double(number) / rate * 1e6).rounded()), seconds: 1 / rate,
                sample: number)
        }
        return observed + detector.finish()
    }

    private static func events(
        _ values: [Double?], rate: Double, detectsBlinks: Bool = true,
        _ measurement: (Double?) -> FaceEventDetector.Measurement
    ) -> [FaceEvent] {
        observed(values, rate: rate, detectsBlinks: detectsBlinks, measurement).flatMap(\.events)
    }

    private static func eyes(_ value: Double?) -> FaceEventDetector.Measurement {
        FaceEventDetector.Measurement(eyeOpenness: value, smile: nil, turnDegrees: nil)
    }

    private static func smile(_ value: Double?) -> FaceEventDetector.Measurement {
        FaceEventDetector.Measurement(eyeOpenness: nil, smile: value, turnDegrees: nil)
    }

    private static func turn(_ value: Double?) -> FaceEventDetector.Measurement {
        FaceEventDetector.Measurement(eyeOpenness: nil, smile: nil, turnDegrees: value)
    }

    // MARK: Every sample is measured

    @Test("A short closure is one blink, dated at its beginning")
    func blink() {
        let values = [90.0, 85, 20, 5, 10, 60, 90, 90]
        #expect(
            Self.events(values, rate: 25, Self.eyes) == [
                FaceEvent(
                    microseconds: 80_000, kind: .blink, faceID: 7, value: .number(0.12), measuredFraction: 1,
                    isComplete: true, oneEyeFraction: 0)
            ])
    }

    @Test("Jitter between the thresholds is one blink, not many")
    func jitter() {
        let values = [90.0, 25, 35, 25, 40, 28, 90]
        #expect(Self.events(values, rate: 25, Self.eyes).count == 1)
    }

    @Test("Without enough samples per second, no blinks are reported")
    func lowRate() {
        #expect(Self.events([90, 10, 90], rate: 5, detectsBlinks: false, Self.eyes).isEmpty)
    }

    @Test("A long closure is eyes_closed at any rate")
    func eyesClosed() {
        let events = Self.events([90, 5, 5, 5, 5, 90], rate: 5, detectsBlinks: false, Self.eyes)
        #expect(events.map(\.kind) == [.eyesClosed])
        #expect(events.map(\.value) == [.number(0.8)])
        #expect(events.map(\.measuredFraction) == [1])
    }

    @Test("A dip between the thresholds does not end a smile")
    func dip() {
        let values = [0.0, 10, 80, 90, 25, 90, 80, 10, 0, 0]
        let events = Self.events(values, rate: 5, Self.smile)
        #expect(events.map(\.kind) == [.smileStarted, .smileStopped])
        #expect(events.map(\.microseconds) == [400_000, 1_400_000])
    }

    @Test("A smile starts with the value of the sample that crossed the threshold, not of the one that confirmed it")
    func onset() {
        let events = Self.events([0, 67.3, 80, 50, 42.3, 42, 0, 0, 0, 0, 0], rate: 12, Self.smile)
        #expect(events.map(\.kind) == [.smileStarted, .smileStopped])
        #expect(events.first?.microseconds == 83_333)
        #expect(events.first?.value == .number(67.3))
    }

    @Test("A smile starts where has_smile becomes 1, and stops further below")
    func threshold() {
        let options = EventOptions()
        #expect(options.smileStartsAbove == Metric.smileThreshold)
        #expect(options.smileStopsBelow < Metric.smileThreshold)
        let faint = Metric.smileThreshold
        #expect(Self.events([Double](repeating: faint, count: 9), rate: 5, Self.smile).isEmpty)
        #expect(!Self.events([Double](repeating: faint + 0.1, count: 9), rate: 5, Self.smile).isEmpty)
    }

    @Test("A long look aside is look_away, and a short glance is not")
    func lookAway() {
        #expect(Self.events([0, 50, 0, 0], rate: 5, Self.turn).isEmpty)
        #expect(Self.events([0, 50, 50, 50, 50, 50, 0, 0, 0, 0, 0], rate: 5, Self.turn).map(\.kind) == [.lookAway])
    }

    // MARK: Gaps

    @Test("A closure ends at its last sample before a gap, and the gap is not part of it")
    func closureBeforeGap() {
        let values = [90.0] + [Double?](repeating: 10, count: 9) + [Double?](repeating: nil, count: 60) + [90, 90]
        #expect(
            Self.events(values, rate: 12, Self.eyes) == [
                FaceEvent(
                    microseconds: 83_333, kind: .eyesClosed, faceID: 7, value: .number(0.666667), measuredFraction: 1,
                    isComplete: false, oneEyeFraction: 0)
            ])
    }

    @Test("A smile stops before a gap and starts again after it")
    func smileAroundGap() {
        let values =
            [0.0] + [Double?](repeating: 80, count: 10) + [nil, nil, nil] + [Double?](repeating: 70, count: 10)
        let events = Self.events(values, rate: 10, Self.smile).sorted(by: FaceEvent.precedes)
        #expect(events.map(\.kind) == [.smileStarted, .smileStopped, .smileStarted, .smileStopped])
        #expect(events.map(\.microseconds) == [100_000, 1_000_000, 1_400_000, 2_300_000])
        #expect(events.map(\.value) == [.number(80), .number(0.9), .number(70), .number(0.9)])
        #expect(events.map(\.measuredFraction) == [nil, 1, nil, 1])
    }

    @Test("A gap of two samples is bridged at any rate, and counts as not measured", arguments: [1.0, 12, 25])
    func shortGap(rate: Double) {
        let values: [Double?] = [0, 80, 80, nil, nil, 80, 80, 80, 80, 80, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        let events = Self.events(values, rate: rate, Self.smile)
        #expect(events.map(\.kind) == [.smileStarted, .smileStopped])
        #expect(events.last?.measuredFraction == 7.0 / 9)
    }

    @Test("A gap of 0.2 s is bridged at a high rate, and a longer one is not")
    func gapInSeconds() {
        let smile = [Double?](repeating: 80, count: 20)
        let count = { (blanks: Int) in
            let values = [0] + smile + [Double?](repeating: nil, count: blanks) + smile
            return Self.events(values, rate: 50, Self.smile).count { $0.kind == .smileStopped }
        }
        // At 50 samples per second, nine missing samples lie within 0.2 s.
        #expect(count(9) == 1)
        #expect(count(10) == 2)
    }

    @Test("Samples that do not show the face are a gap, too")
    func hiddenFace() {
        var detector = FaceEventDetector(faceID: 7, options: EventOptions(), detectsBlinks: true)
        var events: [FaceEvent] = []
        for number in Array(0...12) + Array(20...30) {
            events += detector.update(
                Self.eyes(number == 0 ? 90 : 5), at: Int64(number) * 83_333, seconds: 0.083, sample: number
            ).flatMap(\.events)
        }
        events += detector.finish().flatMap(\.events)
        #expect(events.map(\.kind) == [.eyesClosed, .eyesClosed])
        #expect(events.map(\.microseconds) == [83_333, 20 * 83_333])
        #expect(events.map(\.measuredFraction) == [1, 1])
    }

    @Test(
        "A blink whose end is not seen is not complete",
        arguments: [[90, 90, 5, 5], [90, 5, 6, nil, nil, nil, nil, 90]] as [[Double?]])
    func blinkWithoutEnd(values: [Double?]) {
        let events = Self.events(values, rate: 12, Self.eyes)
        #expect(events.map(\.kind) == [.blink])
        #expect(events.map(\.isComplete) == [false])
        #expect(Self.events(values, rate: 12, detectsBlinks: false, Self.eyes).isEmpty)
        #expect(Self.events([90, 90, 5], rate: 12, Self.eyes).isEmpty)
    }

    @Test(
        "A blink whose beginning is not seen is not complete",
        arguments: [[5, 90, 90], [90, nil, nil, nil, nil, 5, 90]] as [[Double?]])
    func blinkWithoutBeginning(values: [Double?]) {
        let events = Self.events(values, rate: 12, Self.eyes)
        #expect(events.map(\.kind) == [.blink])
        #expect(events.map(\.isComplete) == [false])
    }

    @Test("A smile that the end of the track cuts off is not complete, and one that stops is")
    func complete() {
        let smile = [0.0] + [Double?](repeating: 80, count: 9)
        let stops = { (values: [Double?]) in
            Self.events(values, rate: 12, Self.smile).filter { $0.kind == .smileStopped }.map(\.isComplete)
        }
        #expect(stops(smile) == [false])
        #expect(stops(smile + [0, 0, 0, 0, 0, 0]) == [true])
        #expect(stops(smile.dropFirst() + [0, 0, 0, 0, 0, 0]) == [false])
    }

    @Test("A blink with a short gap stays a blink, and says how much of it was measured")
    func blinkWithGap() {
        let events = Self.events([90, 5, nil, 5, 5, 90], rate: 12, Self.eyes)
        #expect(events.map(\.kind) == [.blink])
        #expect(events.map(\.measuredFraction) == [0.75])
    }

    @Test("A look away is measured where the eyes are not")
    func lookAwayWithoutEyes() {
        let values = [0.0] + [Double](repeating: 45, count: 24) + [0, 0, 0, 0, 0, 0, 0]
        let events = Self.events(values, rate: 12) {
            FaceEventDetector.Measurement(eyeOpenness: $0 == 0 ? 90 : nil, smile: nil, turnDegrees: $0)
        }
        #expect(events.map(\.kind) == [.lookAway])
        #expect(events.map(\.measuredFraction) == [1])
        #expect(events.map(\.oneEyeFraction) == [nil])
    }

    /// Closures with one eye from the third sample on.
    private static func turned(_ values: [Double]) -> [FaceEvent] {
        var detector = FaceEventDetector(faceID: 7, options: EventOptions(), detectsBlinks: true)
        var events: [FaceEvent] = []
        for (number, openness) in values.enumerated() {
            let measurement = FaceEventDetector.Measurement(
                eyeOpenness: openness, hasOneEye: number >= 2, smile: nil, turnDegrees: nil)
            events += detector.update(measurement, at: Int64(number) * 83_333, seconds: 0.083, sample: number)
                .flatMap(\.events)
        }
        return events
    }

    @Test("A closure says in how many of its samples one eye alone was measured")
    func oneEye() {
        let events = Self.turned([90, 5, 5, 5, 5, 90])
        #expect(events.map(\.kind) == [.blink])
        #expect(events.map(\.oneEyeFraction) == [0.75])
    }

    @Test("One eye alone counts as closed only if it is closed further")
    func oneEyeMargin() {
        let limit = EventOptions().eyesClosedBelow
        #expect(Self.turned([90, 90, 90, limit - 5, limit - 5, 90]).isEmpty)
        #expect(
            Self.turned([90, 90, 90, limit - EventOptions.oneEyeMargin - 1, limit - 5, 90]).map(\.kind) == [.blink])
    }

    @Test("No event contains a gap that is too long to be bridged", arguments: 0..<200)
    func gaps(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let rate: Double = [1.0, 5, 12, 25, 60].randomElement(using: &random) ?? 12
        // Stretches of one value, of different lengths, with and without a measure.
        var values: [Double?] = []
        while values.count < 400 {
            let value: Double? = Bool.random(using: &random) ? nil : [5.0, 90].randomElement(using: &random)
            values += [Double?](repeating: value, count: Int.random(in: 1...14, using: &random))
        }
        let measurements: [(Double?) -> FaceEventDetector.Measurement] = [Self.eyes, Self.smile, Self.turn]
        var checked = 0
        for measurement in measurements {
            for event in Self.events(values, rate: rate, measurement) {
                guard let share = event.measuredFraction, case .number(let seconds) = event.value else { continue }
                let time = Double(event.microseconds) / 1e6
                let begin = event.kind == .smileStopped ? time - seconds : time
                let first = Int((begin * rate).rounded())
                let end = Int(((begin + seconds) * rate).rounded())
                let inside = values[first..<max(end, first + 1)]
                for gap in inside.split(whereSeparator: { $0 != nil }) {
                    #expect(gap.count <= 2 || Double(gap.count + 1) / rate <= 0.2 + 1e-6, "\(event)")
                }
                #expect(values[first] != nil && values[end] != nil)
                // The sample at the end belongs to the event only if a gap or the end of the track ended it.
                let shares = [inside, values[first...end]].map { (samples: ArraySlice<Double?>) in
                    Double(samples.count { $0 != nil }) / Double(samples.count)
                }
                #expect(shares.contains { abs($0 - share) < 1e-9 }, "\(event)")
                checked += 1
            }
        }
        #expect(checked > 0)
    }

    // MARK: Episodes

    @Test("An episode has the peak, the mean and the seconds of its samples, without those that end it")
    func measures() throws {
        // The hold of 0.3 s is over three samples after the smile.
        let values: [Double?] = [0, 40, 25, nil, 90, 90, 60, 10, 0, 0, 0, 0]
        let smile = try #require(Self.observed(values, rate: 10, Self.smile).first?.episode)
        #expect(smile.kind == .smile && smile.faceID == 7)
        #expect([smile.startMicroseconds, smile.endMicroseconds] == [100_000, 700_000])
        #expect(smile.peak == 90 && smile.peakMicroseconds == 400_000)
        #expect(smile.mean == 61)
        #expect(abs(smile.measuredSeconds - 0.5) < 1e-9)
        #expect(smile.isStartSeen && smile.isEndSeen)
    }

    @Test("The peak of closed eyes is how far they are closed, and that of a look away its angle")
    func measuresByKind() throws {
        let blink = try #require(Self.observed([90, 20, 4, 10, 90], rate: 25, Self.eyes).first?.episode)
        #expect(blink.kind == .blink && blink.peak == 96)
        #expect(abs((blink.mean ?? 0) - (80 + 96 + 90) / 3.0) < 1e-9)
        let away = try #require(
            Self.observed([0, 50, 70, 60, 50, 50, 0, 0, 0, 0, 0], rate: 5, Self.turn).first?.episode)
        #expect(away.kind == .lookAway && away.peak == 70 && away.mean == 56)
    }

    @Test("A peak before the episode, or after a gap, is not its own")
    func foreignPeak() {
        // The first high value lasts too short a time to be a smile.
        let values: [Double?] = [0, 99, 0, 0, 0, 0, 50, 50, 50, 50, 50, nil, nil, nil, 80, 80, 80, 80, 80]
        let smiles = Self.observed(values, rate: 10, Self.smile).map(\.episode)
        #expect(smiles.map(\.peak) == [50, 80] && smiles.map(\.mean) == [50, 80])
        #expect(smiles.map(\.isStartSeen) == [true, false])
        #expect(smiles.map(\.isEndSeen) == [false, false])
    }

    @Test("A smile that is over just before a gap ends there, and is not cut off")
    func endBeforeGap() throws {
        let values: [Double?] = [0, 80, 80, 80, 80, 10, nil, nil, nil, nil, 0]
        let smile = try #require(Self.observed(values, rate: 10, Self.smile).first?.episode)
        #expect(smile.endMicroseconds == 500_000 && smile.isEndSeen && smile.mean == 80)
    }

    @Test("Short pauses are joined before a smile is too short; a long pause at a low rate ends one")
    func pauses() {
        let flickers: [Double?] = [0, 80, 0, 80, 80, 0, 0, 0, 0]
        #expect(Self.observed(flickers, rate: 10, Self.smile).map(\.episode.startMicroseconds) == [100_000])
        #expect(Self.observed([0, 80, 0, 0, 0, 0], rate: 10, Self.smile).isEmpty)
        let slow = Self.observed([0, 80, 0, 80, 0], rate: 2, Self.smile).map(\.episode)
        #expect(slow.map(\.startMicroseconds) == [500_000, 1_500_000])
        #expect(slow.map(\.endMicroseconds) == [1_000_000, 2_000_000])
    }

    @Test(
        "A beginning after missing samples was not seen, unless they lack 0.2 s at most",
        arguments: [(5.0, 0), (20.0, 1)])
    func afterMissing(rate: Double, isSeen: Int) throws {
        let values: [Double?] = [0, nil, nil, 80, 80, 80, 80, 80, 80, 80, 80, 80, 0, 0, 0, 0, 0, 0, 0]
        let smile = try #require(Self.observed(values, rate: rate, Self.smile).first?.episode)
        #expect(smile.isStartSeen == (isSeen == 1))
    }

    @Test("Events and episodes never disagree", arguments: 0..<100)
    func agreement(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let values: [Double?] = (0..<300).map { _ in
            Int.random(in: 0..<6, using: &random) == 0 ? nil : Double.random(in: 0...100, using: &random)
        }
        for measurement in [Self.eyes, Self.smile, Self.turn] {
            for (episode, events) in Self.observed(values, rate: 12, measurement).map({ ($0.episode, $0.events) }) {
                let hasTwo = episode.kind == .smile
                #expect(events.count == (hasTwo ? 2 : 1) && events[0].microseconds == episode.startMicroseconds)
                #expect(!hasTwo || events.last?.microseconds == episode.endMicroseconds)
                let seconds = Double(episode.endMicroseconds - episode.startMicroseconds) / 1e6
                #expect(events.last?.value == .number(seconds))
                #expect(events.last?.isComplete == (episode.isStartSeen && episode.isEndSeen))
                let peak = episode.peak ?? 0
                #expect(peak + 1e-9 >= episode.mean ?? .infinity)
                let peakTime = episode.peakMicroseconds ?? -1
                #expect((episode.startMicroseconds...episode.endMicroseconds).contains(peakTime))
            }
        }
    }
}
