import Testing
import VidscanBase
import VidscanFaces

@Suite("Face events follow their thresholds")
struct FaceEventTests {
    private static func events(
        _ values: [Double], rate: Double, detectsBlinks: Bool = true,
        _ measurement: (Double) -> FaceEventDetector.Measurement
    ) -> [FaceEvent] {
        var detector = FaceEventDetector(faceID: 7, options: EventOptions(), detectsBlinks: detectsBlinks)
        var events: [FaceEvent] = []
        for (number, value) in values.enumerated() {
            events += detector.update(measurement(value), at: Int64(Double(number) / rate * 1e6))
        }
        return events + detector.finish()
    }

    private static func eyes(_ value: Double) -> FaceEventDetector.Measurement {
        FaceEventDetector.Measurement(eyeOpenness: value, smile: nil, turnDegrees: nil)
    }

    @Test("A short closure is one blink, dated at its beginning")
    func blink() {
        let values = [90.0, 85, 20, 5, 10, 60, 90, 90]
        let events = Self.events(values, rate: 25, Self.eyes)
        #expect(
            events == [
                FaceEvent(microseconds: 80_000, kind: .blink, faceID: 7, value: .number(0.12))
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
    }

    @Test("A dip between the thresholds does not end a smile")
    func smile() {
        let values = [0.0, 10, 80, 90, 50, 90, 80, 10, 0, 0]
        let events = Self.events(values, rate: 5) {
            FaceEventDetector.Measurement(eyeOpenness: nil, smile: $0, turnDegrees: nil)
        }
        #expect(events.map(\.kind) == [.smileStarted, .smileStopped])
        #expect(events.map(\.microseconds) == [400_000, 1_400_000])
    }

    @Test("A long look aside is look_away, and a short glance is not")
    func lookAway() {
        let turn = { (value: Double) in
            FaceEventDetector.Measurement(eyeOpenness: nil, smile: nil, turnDegrees: value)
        }
        #expect(Self.events([0, 50, 0, 0], rate: 5, turn).isEmpty)
        #expect(Self.events([0, 50, 50, 50, 50, 50, 0, 0, 0, 0, 0], rate: 5, turn).map(\.kind) == [.lookAway])
    }

    @Test("The histogram's median is accurate to half a bin for any number of values")
    func median() {
        var sketch = StreamingHistogram(range: 0...100)
        for value in 0..<100_000 { sketch.add(Double(value % 1000) / 10) }
        #expect(abs((sketch.median ?? 0) - 49.95) <= 100.0 / 512)
        #expect(abs((sketch.mean ?? 0) - 49.95) < 1e-6)
        #expect(sketch.maximum == 99.9)
        #expect(StreamingHistogram(range: 0...1).median == nil)
    }
}
