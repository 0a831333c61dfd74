import Testing
import TestSupport
import VidscanBase
import VidscanFaces

@Suite("A sample matches the person of its track")
struct PersonMatchTests {
    private static func face(_ person: Int, sample: Int) -> FaceEmbedding {
        FaceEmbedding(values: SyntheticFace.vector(person, sample: sample))
    }

    /// Returns a track of one sample per embedding, 0.3 s apart, the first one the best.
    private static func track(_ faces: [FaceEmbedding], start: Int = 0) -> TrackSummary {
        let box = Rectangle(x: 400, y: 200, width: 120, height: 120)
        let seconds = { (step: Int) in Double(start + step) * 0.3 }
        var summary = TrackSummary(
            detection: TrackedDetection(box: box), seconds: seconds(0), sample: start, shot: 0,
            pictureSize: PictureSize(width: 1280, height: 720))
        for (step, face) in faces.enumerated() {
            let weight = 1 - Double(step) / 100
            summary.add(
                TrackedDetection(box: box, confidence: 0.9), weight: weight, seconds: seconds(step),
                sample: start + step)
            summary.add(
                TrackSummary.Crop(seconds: seconds(step), weight: weight, offset: start + step, embedding: face))
        }
        return summary
    }

    private static func identities(_ people: [Int]) -> [TrackSelection.Identity?] {
        people.enumerated().map {
            TrackSelection.Identity(faceID: $0 + 1, personID: $1, personConfidence: 0.9)
        }
    }

    @Test("Where two tracks swap people, the samples after it match neither")
    func swap() throws {
        let (first, second) = ((0..<3).map { Self.face(0, sample: $0) }, (3..<6).map { Self.face(1, sample: $0) })
        let tracks = [
            Self.track(first + [Self.face(1, sample: 6)]), Self.track(second + [Self.face(0, sample: 7)]),
        ]
        let matches = PersonMatch(tracks, identities: Self.identities([1, 2]))
        for (track, own, other) in [(0, first, Self.face(1, sample: 6)), (1, second, Self.face(0, sample: 7))] {
            for sample in own { #expect(try #require(matches.confidence(of: sample, track: track)) > 0.95) }
            #expect(try #require(matches.confidence(of: other, track: track)) < 0.05)
        }
    }

    @Test("A track that changed person says between which crops, and one person's track does not")
    func personChange() throws {
        let faces = { (person: Int) in
            (0..<5).map { FaceEmbedding(values: SyntheticFace.vector(person, sample: $0, between: 0.88)) }
        }
        let (own, other) = (faces(0), faces(1))
        #expect(Self.track(own).personChange == nil)
        for before in 1...4 {
            let track = Self.track(Array(own.prefix(before) + other.prefix(5 - before)))
            let times = try #require(track.personChange)
            #expect(abs(times.lowerBound - (Double(before - 1) * 0.3 - 0.5)) < 1e-9)
            #expect(abs(times.upperBound - (Double(before) * 0.3 + 0.5)) < 1e-9)
        }
        // One bad picture among good ones does not count.
        #expect(Self.track([own[0], own[1], other[0], own[2], own[3]]).personChange == nil)
    }

    @Test("A stranger who is seen nowhere else does not match")
    func stranger() throws {
        let own = (0..<3).map { Self.face(0, sample: $0) }
        let matches = PersonMatch([Self.track(own)], identities: Self.identities([1]))
        #expect(try #require(matches.confidence(of: own[0], track: 0)) > 0.95)
        #expect(try #require(matches.confidence(of: Self.face(5, sample: 9), track: 0)) < 0.05)
    }

    @Test("One person with two numbers matches, unless both are seen at the same time")
    func twoNumbers() throws {
        let (first, second) = ((0..<3).map { Self.face(0, sample: $0) }, (3..<6).map { Self.face(0, sample: $0) })
        let apart = PersonMatch(
            [Self.track(first), Self.track(second, start: 10)], identities: Self.identities([1, 2]))
        #expect(try #require(apart.confidence(of: first[0], track: 0)) > 0.8)
        let together = PersonMatch([Self.track(first), Self.track(second)], identities: Self.identities([1, 2]))
        #expect(abs(try #require(together.confidence(of: first[0], track: 0)) - 0.5) < 1e-3)
    }

    @Test("A track that was dropped has no match")
    func dropped() {
        let matches = PersonMatch([Self.track([Self.face(0, sample: 0)])], identities: [nil])
        #expect(matches.confidence(of: Self.face(0, sample: 0), track: 0) == nil)
    }
}
