import Testing
import VidscanAnalysis
import VidscanFaces

@Suite("Scores of speech are given to samples")
struct SpeechScoresTests {
    /// Rises by 1 per tick, which smoothing keeps, except at the ends.
    private static let speech = speech(voice: [Float](repeating: 1, count: 200))

    private static func speech(voice: [Float]) -> Speech {
        var speech = Speech(voice: voice)
        let ramp = (0..<90).map(Float.init)
        speech.add(Speech.Scores(track: 3, first: 10, speaking: ramp, moving: ramp))
        return speech
    }

    @Test("A sample has the ticks from its own time to the next sample's", arguments: [0, 1, 39_999])
    func ticks(offset: Int64) throws {
        // Tick 20 is at 0.8 s.
        let values = Self.speech.values(ofTrack: 3, at: 800_000 + offset, until: 1_000_000)
        #expect(values.speaking == (offset < 39_999 ? 10 : 11))
        #expect(values.ticks == (offset == 0 ? [20, 22, 24, 26, 28] : [22, 24, 26, 28]))
    }

    @Test("Episodes begin at the tick that crosses the threshold")
    func episode() throws {
        var detector = FaceEventDetector(faceID: 1, options: EventOptions(), detectsBlinks: false)
        for sample in 0..<20 {
            let time = Int64(sample) * 200_000
            let ticks = Self.speech.values(ofTrack: 3, at: time, until: time + 200_000).ticks
            _ = detector.update(
                FaceEventDetector.Measurement(eyeOpenness: nil, smile: nil, turnDegrees: nil, speech: ticks),
                at: time, seconds: 0.2, sample: sample)
        }
        // 50 in tick 60.
        #expect(detector.finish().map(\.episode.startMicroseconds) == [60 * 40_000])
    }

    @Test("Where the sound has a gap, only the picture is known, and around it, only what is known counts")
    func gap() {
        // From 0.8 to 0.96 s; the sound ends at 1.248 s, between tick 31 and a sample.
        let sound = (0..<39).map { (25..<30).contains($0) ? Float.nan : 1 }
        let speech = Self.speech(voice: sound)
        let before = speech.values(ofTrack: 3, at: 760_000, until: 1_000_000)
        // The mean of ticks 17, 18 and 19.
        #expect(before.speaking == 8 && before.ticks == [16, 255, 255, 255, 255, 30])
        for time in [Int64(800_000), 920_000, 1_260_000, 1_280_000] {
            let values = speech.values(ofTrack: 3, at: time, until: time + 40_000)
            #expect(values.speaking == nil && values.moving == Double(time / 40_000 - 10))
        }
        #expect(speech.values(ofTrack: 3, at: 1_240_000, until: nil).speaking != nil)
    }

    @Test("The first pictures of a run have the score of the first one that the network knows well")
    func beginning() {
        func moving(_ tick: Int64) -> Double? {
            Self.speech.values(ofTrack: 3, at: tick * 40_000, until: nil).moving
        }
        #expect((10...20).map(moving) == [9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 10])
        var short = Speech(voice: nil)
        short.add(Speech.Scores(track: 1, first: 0, moving: [0, 1, 2, 3, 4, 5, 6].map { 10 * $0 }))
        #expect(
            (0..<7).map { short.values(ofTrack: 1, at: $0 * 40_000, until: nil).moving } == [
                30, 30, 30, 30, 40, 45, 50,
            ])
    }

    @Test("Before, after and beside a run nothing is known")
    func outside() {
        for (track, time) in [(3, Int64(0)), (3, 5_000_000), (4, 800_000)] {
            let values = Self.speech.values(ofTrack: track, at: time, until: nil)
            #expect(values.speaking == nil && values.moving == nil && values.ticks.isEmpty)
        }
    }
}
