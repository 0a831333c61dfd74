import Testing
import VidscanFaces

@Suite("Blinks are short falls of both eyes, and lids that follow the gaze are not closed")
struct EyeClosureTests {
    private static let rate = 25.0

    private static func events(
        _ eyes: [(left: Double, right: Double)?], gaze: Double = 0, isClear: Bool = true,
        _ levels: RestingLevels = RestingLevels([:])
    ) -> [FaceEvent] {
        var filter = EyeClosureFilter(longestBlinkSeconds: EventOptions().blinkLongestSeconds)
        let times = eyes.indices.map { Int64(Double($0) / rate * 1e6) }
        var openness: [Double?] = []
        for (eyes, time) in zip(eyes, times) {
            let sample = eyes.map {
                EyeClosureFilter.Sample(
                    left: levels.relative($0.left, of: .leftEyeOpenness),
                    right: levels.relative($0.right, of: .rightEyeOpenness), gazePitch: gaze, isClear: isClear)
            }
            openness += filter.add(sample, at: time)
        }
        openness += filter.finish()
        var detector = FaceEventDetector(faceID: 1, options: EventOptions(), detectsBlinks: true)
        var events: [FaceEvent] = []
        for (number, time) in times.enumerated() {
            events += detector.update(
                FaceEventDetector.Measurement(eyeOpenness: openness[number], smile: nil, turnDegrees: nil), at: time,
                seconds: 0, sample: number
            ).flatMap(\.events)
        }
        return events + detector.finish().flatMap(\.events)
    }

    private static func open(_ count: Int, at level: Double = 95) -> [(left: Double, right: Double)?] {
        Array(repeating: (level, level), count: count)
    }

    @Test("Eyes of which one closes to 18 and the other to 45 blink")
    func halfBlink() {
        let events = Self.events(Self.open(20) + [(60, 75), (18, 45), (18, 46), (70, 80)] + Self.open(20))
        #expect(events.map(\.kind) == [.blink])
        #expect(events.map(\.microseconds) == [840_000])
        #expect(events.map(\.value) == [.number(0.08)])
    }

    @Test("Nothing is more closed than shut")
    func deepBlink() {
        var filter = EyeClosureFilter(longestBlinkSeconds: EventOptions().blinkLongestSeconds)
        var openness: [Double?] = []
        for (number, level) in ([95.0, 95, 95, -20, 0, 95, 95, 95] as [Double]).enumerated() {
            let sample = EyeClosureFilter.Sample(left: level, right: level, gazePitch: 0, isClear: true)
            openness += filter.add(sample, at: Int64(number) * 40_000)
        }
        openness += filter.finish()
        #expect(openness.compactMap { $0 }.min() == 0)
    }

    @Test(
        "Shut is at most 1, also of narrow eyes that fall below zero",
        arguments: [
            (100.0, 0.0), (65, 0), (35, 0.5), (0, 1), (-40, 1),
        ])
    func closure(openness: Double, closure: Double) {
        var options = EventOptions()
        options.eyesClosedBelow = 35
        #expect(options.closure(ofOpenness: openness) == closure)
    }

    @Test("A wink is no blink", arguments: [2, 5, 40])
    func wink(samples: Int) {
        let wink = Array(repeating: (left: 3.0, right: 85.0), count: samples).map(Optional.some)
        #expect(Self.events(Self.open(20) + wink + Self.open(20)).isEmpty)
    }

    @Test("Narrow eyes are not closed, and blink")
    func narrow() {
        let own = RestingLevels([.leftEyeOpenness: 32, .rightEyeOpenness: 32])
        #expect(Self.events(Self.open(100, at: 28), own).isEmpty)
        let blink = Self.open(30, at: 30) + [(5, 6), (1, 2), (8, 9)] + Self.open(30, at: 30)
        #expect(Self.events(blink, own).map(\.kind) == [.blink])
    }

    @Test("Lids that follow the gaze down are not closed, not even at the moment when the gaze falls")
    func lowered() {
        let lowered = Self.open(40, at: 22)
        #expect(Self.events(Self.open(20) + lowered + Self.open(20), gaze: -12).isEmpty)
        #expect(Self.events(Self.open(20) + Self.open(40, at: 9) + Self.open(20), gaze: -22).isEmpty)
        #expect(Self.events(lowered + Self.open(20), gaze: -12).isEmpty)
        #expect(Self.events(Self.open(20) + lowered, gaze: -12).isEmpty)
    }

    @Test("Eyes that stay shut are closed")
    func shut() {
        let events = Self.events(Self.open(20) + Self.open(40, at: 3) + Self.open(20))
        #expect(events.map(\.kind) == [.eyesClosed])
        #expect(events.map(\.value) == [.number(1.6)])
    }

    @Test("Lowered lids that nearly shut for a single sample are no blink")
    func flicker() {
        let lowered = Self.open(30, at: 22)
        #expect(Self.events(lowered + [(11, 13)] + lowered, gaze: -4).isEmpty)
    }

    @Test("A shallow fall counts only in a face that is seen well")
    func shallow() {
        let fall = Self.open(20) + [(45, 50), (48, 52)] + Self.open(20)
        #expect(Self.events(fall).map(\.kind) == [.blink])
        #expect(Self.events(fall, isClear: false).isEmpty)
    }

    @Test("A fall without what was before or after it is no blink")
    func edges() {
        let fall: [(left: Double, right: Double)?] = [(40, 45), (42, 45)]
        #expect(Self.events(fall + Self.open(20)).isEmpty)
        #expect(Self.events(Self.open(20) + fall).isEmpty)
        #expect(Self.events(Self.open(20) + fall + [nil] + Self.open(20)).isEmpty)
    }

    @Test("Every sample gets one value, in order, whatever is missing")
    func order() {
        var filter = EyeClosureFilter(longestBlinkSeconds: 0.5)
        var values: [Double?] = []
        for number in 0..<100 {
            let eyes = EyeClosureFilter.Sample(left: 100, right: nil, gazePitch: nil, isClear: true)
            values += filter.add(number % 10 == 9 ? nil : eyes, at: Int64(number) * 40_000)
            #expect(values.count <= number + 1)
        }
        values += filter.finish()
        #expect(values.count == 100)
        #expect(values.indices.allSatisfy { (values[$0] == nil) == ($0 % 10 == 9) })
        #expect(filter.finish().isEmpty)
    }

    @Test("A value that nothing later can change is known when its time has come, with or without a sample")
    func advance() {
        var filter = EyeClosureFilter(longestBlinkSeconds: 0.5)
        let eyes = EyeClosureFilter.Sample(left: 90, right: 90, gazePitch: 0, isClear: false)
        #expect(filter.add(eyes, at: 0).isEmpty)
        #expect(filter.advance(to: 499_999).isEmpty)
        #expect(filter.advance(to: 500_000) == [100])
        #expect(filter.advance(to: 900_000).isEmpty)
        #expect(filter.add(eyes, at: 1_000_000).isEmpty)
        #expect(filter.finish() == [100])
    }

    @Test("A long video keeps no more samples than a blink takes")
    func delay() {
        var filter = EyeClosureFilter(longestBlinkSeconds: 0.5)
        let eyes = EyeClosureFilter.Sample(left: 90, right: 90, gazePitch: 0, isClear: true)
        var missing = 0
        for number in 0..<10_000 {
            missing += 1 - filter.add(eyes, at: Int64(number) * 40_000).count
            #expect(missing <= 13)
        }
    }
}
