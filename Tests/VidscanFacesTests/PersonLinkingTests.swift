import Testing
import TestSupport
import VidscanBase
import VidscanFaces

@Suite("Tracks are linked to people by their embeddings")
struct PersonLinkingTests {
    /// A track of five samples, 0.2 s apart.
    private struct Track {
        /// The embedding of each sample.
        var faces: [FaceEmbedding] = []
        /// Who wears the clothes and has the hair.
        var look: Int?
        var start: Double
        var shot: Int
        var epoch = 0
    }

    private static func face(_ person: Int, sample: Int, between: Double = 0.8) -> FaceEmbedding {
        FaceEmbedding(values: SyntheticFace.vector(person, sample: sample, between: between))
    }

    private static func faces(_ person: Int, from first: Int) -> [FaceEmbedding] {
        (first..<first + 3).map { face(person, sample: $0) }
    }

    private static func link(_ tracks: [Track]) -> TrackletLinker.Result {
        var generator = TrackingGenerator(seed: 1)
        let box = Rectangle(x: 400, y: 200, width: 120, height: 120)
        let summaries = tracks.map { track in
            let first = Int((track.start * 5).rounded())
            var summary = TrackSummary(
                detection: TrackedDetection(box: box), seconds: track.start, sample: first,
                shot: track.shot, epoch: track.epoch, pictureSize: TrackingScene.size)
            for step in 0..<5 {
                summary.add(
                    TrackedDetection(
                        box: box, confidence: 0.9, appearance: track.look.flatMap { generator.appearance(of: $0) },
                        shape: track.look.map { generator.shape(of: $0) }),
                    weight: 1, seconds: track.start + Double(step) / 5, sample: first + step)
            }
            for (step, face) in track.faces.enumerated() {
                summary.add(
                    TrackSummary.Crop(
                        seconds: track.start + Double(step) / 5, weight: 1, offset: step, embedding: face))
            }
            return summary
        }
        return TrackletLinker(shapeVariances: TrackingGenerator.shapeVariances).link(summaries)
    }

    private static func groups(_ tracks: [Track]) -> [Int] { link(tracks).people.map(\.group) }

    @Test("A person who changes clothes and hair stays the same person")
    func otherClothes() {
        let tracks = [
            Track(faces: Self.faces(0, from: 0), look: 1, start: 0, shot: 0),
            Track(faces: Self.faces(0, from: 3), look: 2, start: 2, shot: 1),
        ]
        #expect(Self.groups(tracks) == [0, 0])
        // Without the embeddings, they are two people.
        #expect(Self.groups(tracks.map { Track(look: $0.look, start: $0.start, shot: $0.shot) }) == [0, 1])
    }

    @Test("Two people who wear the same are two people")
    func sameClothes() {
        let tracks = [
            Track(faces: Self.faces(0, from: 0), look: 1, start: 0, shot: 0),
            Track(faces: Self.faces(1, from: 3), look: 1, start: 2, shot: 1),
        ]
        let result = Self.link(tracks)
        #expect(result.people.map(\.group) == [0, 1])
        #expect(result.faces == [0, 1])
    }

    @Test("The same clothes and hair join tracks without embeddings in a shot, and never across a cut")
    func clothesAcrossCut() {
        for (shot, groups) in [(0, [0, 0]), (1, [0, 1])] {
            let result = Self.link([Track(look: 1, start: 0, shot: 0), Track(look: 1, start: 2, shot: shot)])
            #expect(result.people.map(\.group) == groups)
            #expect(result.faces == [0, 1])
            // One with an embedding does not change that.
            let faces = Self.faces(0, from: 0)
            #expect(
                Self.groups([
                    Track(faces: faces, look: 1, start: 0, shot: 0), Track(look: 1, start: 2, shot: shot),
                ]) == groups)
        }
    }

    @Test("A face keeps its number across a cut only if its embeddings are well below the limit")
    func numberAcrossCut() {
        // Nothing is worn, so the limit is 0.65.
        for (distance, faces) in [(0.5, [0, 0]), (0.6, [0, 1])] {
            let result = Self.link([
                Track(faces: [FaceEmbedding(values: SyntheticFace.vector([0: 1]))], start: 0, shot: 0),
                Track(
                    faces: [FaceEmbedding(values: SyntheticFace.vector(0, at: distance, towards: 1))], start: 2,
                    shot: 1),
            ])
            #expect(result.people.map(\.group) == [0, 0])
            #expect(result.faces == faces)
        }
    }

    @Test("A person who is cut away keeps the face number")
    func acrossCut() {
        let result = Self.link([
            Track(faces: Self.faces(0, from: 0), look: 1, start: 0, shot: 0),
            Track(faces: Self.faces(1, from: 3), look: 2, start: 2, shot: 1),
            Track(faces: Self.faces(0, from: 6), look: 1, start: 4, shot: 2),
        ])
        #expect(result.faces == [0, 1, 0])
    }

    @Test("Tracks at the same time are two people even if their embeddings are equal")
    func sameTime() {
        let faces = Self.faces(0, from: 0)
        let tracks = [
            Track(faces: faces, look: 1, start: 0, shot: 0), Track(faces: faces, look: 1, start: 0, shot: 0),
            Track(faces: faces, look: 1, start: 2, shot: 1), Track(faces: faces, look: 1, start: 2, shot: 1),
        ]
        let groups = Self.groups(tracks)
        #expect(groups[0] != groups[1] && groups[2] != groups[3])
    }

    @Test("A group that contains a track is not joined with another track of the same time")
    func groupAtSameTime() {
        // The second and the third are nearest; the first is at the same time as the third.
        let groups = Self.groups([
            Track(faces: [Self.face(0, sample: 0)], look: 1, start: 0, shot: 0),
            Track(faces: [Self.face(0, sample: 1)], look: 1, start: 2, shot: 1),
            Track(faces: [Self.face(0, sample: 1)], look: 1, start: 0.4, shot: 0),
        ])
        #expect(groups == [0, 1, 1])
    }

    @Test("Nothing is joined across a jump of the timestamps")
    func epochs() {
        #expect(
            Self.groups([
                Track(faces: Self.faces(0, from: 0), look: 1, start: 0, shot: 0),
                Track(faces: Self.faces(0, from: 3), look: 1, start: 2, shot: 1, epoch: 1),
            ]) == [0, 1])
    }

    @Test("People who are seen together and look alike lower the limit for everybody")
    func calibration() {
        let apart = [
            Track(faces: [Self.face(0, sample: 0, between: 0.45)], look: nil, start: 0, shot: 0),
            Track(faces: [Self.face(1, sample: 1, between: 0.45)], look: nil, start: 4, shot: 1),
        ]
        #expect(Self.groups(apart) == [0, 0])
        let together = [
            Track(faces: [Self.face(2, sample: 2, between: 0.45)], look: nil, start: 8, shot: 2),
            Track(faces: [Self.face(3, sample: 3, between: 0.45)], look: nil, start: 8, shot: 2),
        ]
        #expect(Self.groups(apart + together) == [0, 1, 2, 3])
        // The same clothes do not change that.
        #expect(
            Self.groups((apart + together).map { Track(faces: $0.faces, look: 1, start: $0.start, shot: $0.shot) }) == [
                0, 1, 2, 3,
            ])
    }

    @Test("One sample of another face decides nothing")
    func badSample() {
        let mixed = Self.faces(0, from: 3) + [Self.face(1, sample: 6)]
        #expect(
            Self.groups([
                Track(faces: Self.faces(0, from: 0), look: 1, start: 0, shot: 0),
                Track(faces: Self.faces(1, from: 7), look: 2, start: 0, shot: 0),
                Track(faces: mixed, look: 1, start: 2, shot: 1),
            ]) == [0, 1, 0])
    }

    @Test("The numbering of tracks that begin together does not matter")
    func order() {
        let first = Track(faces: Self.faces(0, from: 0), look: 1, start: 0, shot: 0)
        let second = Track(faces: Self.faces(1, from: 3), look: 2, start: 0, shot: 0)
        let third = Track(faces: Self.faces(0, from: 6), look: 3, start: 2, shot: 1)
        let fourth = Track(faces: Self.faces(1, from: 9), look: 4, start: 2, shot: 1)
        #expect(Self.groups([first, second, third, fourth]) == [0, 1, 0, 1])
        #expect(Self.groups([second, first, third, fourth]) == [0, 1, 1, 0])
        #expect(Self.groups([first, second, fourth, third]) == [0, 1, 1, 0])
    }

    @Test("A track without an embedding joins the person of the same look, or stays alone with a low confidence")
    func unjudged() {
        let people = Self.link([
            Track(faces: Self.faces(0, from: 0), look: 1, start: 0, shot: 0),
            Track(faces: Self.faces(1, from: 3), look: 2, start: 0, shot: 0),
            Track(look: 2, start: 2, shot: 0), Track(look: 3, start: 4, shot: 2),
        ]).people
        #expect(people.map(\.group) == [0, 1, 1, 3])
        #expect((0.5...0.7).contains(people[2].confidence))
        #expect(people[3].confidence < 0.4)
    }

    @Test("Confidence is high for people who are far apart, and low for one between two others")
    func confidence() {
        let clear = Self.link([
            Track(faces: Self.faces(0, from: 0), look: 1, start: 0, shot: 0),
            Track(faces: Self.faces(1, from: 3), look: 2, start: 2, shot: 1),
            Track(faces: Self.faces(0, from: 6), look: 1, start: 4, shot: 2),
        ]).people
        #expect(clear.allSatisfy { $0.confidence > 0.9 && $0.confidence <= 1 })
        let between = zip(Self.face(0, sample: 6).values, Self.face(1, sample: 7).values).map(+)
        let doubtful = Self.link([
            Track(faces: Self.faces(0, from: 0), look: 1, start: 0, shot: 0),
            Track(faces: Self.faces(1, from: 3), look: 1, start: 0, shot: 0),
            Track(faces: [FaceEmbedding(direction: between)], look: 1, start: 2, shot: 1),
        ]).people
        #expect(doubtful[2].confidence < 0.6)
        let alone = Self.link([Track(look: 1, start: 0, shot: 0)]).people
        #expect(alone[0].confidence > 0.9)
    }
}
