import Testing
import VidscanAnalysis
import VidscanFaces

@Suite("Scores of speech are given to samples")
struct SpeechScoresTests {
    /// Rises by 1 per tick, which smoothing keeps, except at the ends.
    private static let speech: Speech = {
        var speech = Speech(voice: nil)
        let ramp = (0..<90).map(Float.init)
        speech.add(Speech.Scores(track: 3, first: 10, speaking: ramp, moving: ramp))
        return speech
    }()

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
        // 51 in tick 61.
        #expect(detector.finish().map(\.episode.startMicroseconds) == [61 * 40_000])
    }

    @Test("Before, after and beside a run nothing is known")
    func outside() {
        for (track, time) in [(3, Int64(0)), (3, 5_000_000), (4, 800_000)] {
            let values = Self.speech.values(ofTrack: track, at: time, until: nil)
            #expect(values.speaking == nil && values.moving == nil && values.ticks.isEmpty)
        }
    }
}
