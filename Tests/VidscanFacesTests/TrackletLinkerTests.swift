import Testing
import TestSupport
import VidscanBase
import VidscanFaces

@Suite("Tracks of one face or person are linked, and no others")
struct TrackletLinkerTests {
    /// A track of five samples, 0.2 s apart.
    private struct Track {
        var identity: Int
        var start: Double
        var shot: Int
        var weight = 1.0
        var hasEmbedding = false
    }

    private static func link(_ tracks: [Track], seed: UInt64 = 1) -> TrackletLinker.Result {
        var generator = TrackingGenerator(seed: seed)
        let box = Rectangle(x: 400, y: 200, width: 120, height: 120)
        let summaries = tracks.enumerated().map { index, track in
            let first = Int((track.start * 5).rounded())
            var summary = TrackSummary(
                detection: TrackedDetection(box: box), seconds: track.start, sample: first,
                shot: track.shot, pictureSize: TrackingScene.size)
            for step in 0..<5 {
                summary.add(
                    TrackedDetection(
                        box: box, confidence: 0.9, appearance: generator.appearance(of: track.identity),
                        shape: generator.shape(of: track.identity)),
                    weight: track.weight, seconds: track.start + Double(step) / 5, sample: first + step)
            }
            if track.hasEmbedding {
                let face = FaceEmbedding(values: SyntheticFace.vector(track.identity, sample: index))
                summary.add(TrackSummary.Crop(seconds: track.start, weight: 1, offset: 0, embedding: face))
            }
            return summary
        }
        return TrackletLinker(shapeVariances: TrackingGenerator.shapeVariances).link(summaries)
    }

    @Test("A face that is interrupted by a cut keeps its number, even if somebody else is seen in between")
    func acrossCut() {
        let result = Self.link([
            Track(identity: 1, start: 0, shot: 0, hasEmbedding: true),
            Track(identity: 2, start: 1, shot: 1, hasEmbedding: true),
            Track(identity: 1, start: 2, shot: 2, hasEmbedding: true),
            Track(identity: 2, start: 3, shot: 3, hasEmbedding: true),
        ])
        #expect(result.faces == [0, 1, 0, 1])
        #expect(result.people.map(\.group) == [0, 1, 0, 1])
    }

    @Test("Within a shot, or after a minute, a returning face is the same person with a new face number")
    func samePerson() {
        let within = Self.link([Track(identity: 1, start: 0, shot: 0), Track(identity: 1, start: 4, shot: 0)])
        #expect(within.faces == [0, 1])
        #expect(within.people.map(\.group) == [0, 0])
        let late = Self.link([
            Track(identity: 1, start: 0, shot: 0, hasEmbedding: true),
            Track(identity: 1, start: 62, shot: 1, hasEmbedding: true),
        ])
        #expect(late.faces == [0, 1])
        #expect(late.people.map(\.group) == [0, 0])
    }

    @Test("Two faces at the same time are two people, even if they look alike")
    func sameTime() {
        let result = Self.link([Track(identity: 1, start: 0, shot: 0), Track(identity: 1, start: 0.4, shot: 0)])
        #expect(result.faces == [0, 1])
        #expect(result.people[0].group != result.people[1].group)
    }

    @Test("A track with little evidence is linked to nobody")
    func littleEvidence() {
        let result = Self.link([
            Track(identity: 1, start: 0, shot: 0), Track(identity: 3, start: 5, shot: 0, weight: 0.01),
        ])
        #expect(result.people[1].group == 1)
    }

    @Test("None of two hundred pairs of different people is linked")
    func differentPeople() {
        for seed in 1...200 as ClosedRange<UInt64> {
            let result = Self.link(
                [
                    Track(identity: Int(seed) * 2, start: 0, shot: 0),
                    Track(identity: Int(seed) * 2 + 1, start: 5, shot: 0),
                ], seed: seed)
            #expect(result.faces == [0, 1])
            #expect(result.people[0].group != result.people[1].group)
        }
    }
}
