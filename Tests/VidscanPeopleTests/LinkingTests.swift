import Testing
import TestSupport
import VidscanFaces
import VidscanPeople

@Suite("People of many videos are joined by their faces")
struct LinkingTests {
    private typealias Track = SyntheticResult.Track

    /// A random direction.
    private static func random(_ generator: inout SeededGenerator) -> [Double] {
        let vector = (0..<64).map { _ in
            (0..<6).reduce(0.0) { sum, _ in sum + Double.random(in: -1...1, using: &generator) }
        }
        let norm = vector.reduce(0) { $0 + $1 * $1 }.squareRoot()
        return vector.map { $0 / norm }
    }

    /// The direction that deviates from another one.
    private static func random(
        near direction: [Double], deviation: Double, _ generator: inout SeededGenerator
    ) -> [Double] {
        zip(direction, random(&generator)).map { $0 + deviation * $1 }
    }

    private static func face(_ direction: [Double]) -> [Float] {
        SyntheticFace.vector(Dictionary(uniqueKeysWithValues: direction.enumerated().map { ($0, $1) }))
    }

    /// Twelve videos with three of six people each, all seen at the same time.
    ///
    /// - Returns: The person of each track.
    private static func makeCast(_ scene: StudyScene) throws -> [String: Int] {
        var generator = SeededGenerator(seed: 1)
        let cast = (0..<6).map { _ in random(&generator) }
        var truth: [String: Int] = [:]
        for video in 0..<12 {
            let who = (0..<6).shuffled(using: &generator).prefix(3)
            let tracks = who.enumerated().map { index, person in
                let lit = random(near: cast[person], deviation: 0.4, &generator)
                return Track(
                    face: index + 1,
                    embeddings: (0..<5).map { _ in face(random(near: lit, deviation: 0.5, &generator)) })
            }
            try scene.add("v\(video).mp4", tracks)
            for (index, person) in who.enumerated() { truth["v\(video).mp4 \(index + 1)"] = person }
        }
        return truth
    }

    @Test("Everybody has one number in all videos, and nobody shares one")
    func cast() async throws {
        let scene = try StudyScene()
        let truth = try Self.makeCast(scene)
        let summary = try await scene.run()
        let numbers = try scene.numbers
        #expect(numbers.count == truth.count)
        #expect(summary.people == 6)
        #expect(summary.videos == 12)
        #expect(Set(truth.map { "\($0.value) \(numbers[$0.key] ?? 0)" }).count == 6)
        #expect(Set(numbers.values) == Set(1...6))
    }

    @Test("The order of the results changes nothing")
    func order() async throws {
        let scene = try StudyScene()
        _ = try Self.makeCast(scene)
        try await scene.run()
        let (table, page) = (try scene.folder.text("study/people.csv"), try scene.folder.text("study/people.html"))
        let state = try scene.folder.text("study/people.json")
        let other = try StudyScene()
        _ = try Self.makeCast(other)
        try await other.run((0..<12).map { other.result("v\(($0 * 7) % 12).mp4") })
        #expect(try other.folder.text("study/people.csv") == table)
        #expect(try other.folder.text("study/people.html") == page)
        #expect(
            try other.folder.text("study/people.json") == state.replacing(scene.folder.path, with: other.folder.path))
    }

    /// The nearest pair of groups is joined first, with all distances between all samples. When none is near enough, the
    /// limits follow the groups' evidence, until nothing changes.
    @Test("The result is that of rounds of average linkage over all pairs of samples")
    func averageLinkage() async throws {
        let scene = try StudyScene()
        var generator = SeededGenerator(seed: 2)
        let bases = (0..<12).map { _ in Self.random(&generator) }
        var samples: [[[Float]]] = []
        for video in 0..<60 {
            let person = Self.random(near: bases[video % bases.count], deviation: 1, &generator)
            samples.append(
                (0...video % 4).map { _ in Self.face(Self.random(near: person, deviation: 0.2, &generator)) })
            let name = "v\(video < 10 ? "0" : "")\(video).mp4"
            try scene.add(name, [Track(face: 1, embeddings: samples[video])])
        }
        try await scene.run()
        let embeddings = samples.map { $0.map { FaceEmbedding(values: $0) } }
        let distances = embeddings.map { one in
            embeddings.map { other in one.map { face in other.map { face.distance(to: $0) }.reduce(0, +) }.reduce(0, +)
            }
        }
        func distance(_ one: [Int], _ other: [Int]) -> Double {
            let total = one.reduce(0) { sum, first in other.reduce(sum) { $0 + distances[first][$1] } }
            let counts = [one, other].map { $0.reduce(0) { $0 + samples[$1].count } }
            return total / Double(counts[0] * counts[1])
        }
        func evidence(_ group: [Int]) -> Double { group.reduce(0) { $0 + Double(min(samples[$1].count, 2)) } }
        var groups = samples.indices.map { (members: [$0], evidence: evidence([$0])) }
        var rounds = 0
        while rounds == 0 || groups.contains(where: { $0.evidence < evidence($0.members) }) {
            rounds += 1
            for index in groups.indices { groups[index].evidence = evidence(groups[index].members) }
            while true {
                var best = (distance: Double.infinity, one: 0, other: 0)
                for other in groups.indices {
                    for one in 0..<other {
                        let (a, b) = (groups[one], groups[other])
                        let value = distance(a.members, b.members)
                        if value < min(best.distance, IdentityCalibration.limit(evidence: a.evidence, b.evidence)) {
                            best = (value, one, other)
                        }
                    }
                }
                guard best.one != best.other else { break }
                let (one, other) = (groups[best.one], groups[best.other])
                groups[best.one] = ((one.members + other.members).sorted(), min(one.evidence, other.evidence))
                groups.remove(at: best.other)
            }
        }
        // A test in which everybody or nobody is joined, or in which one round is enough, would show little.
        #expect((13...50).contains(groups.count) && rounds > 2, "\(groups.count) groups, \(rounds) rounds")
        let numbers = try scene.numbers
        let found = Dictionary(grouping: 0..<60) { numbers["v\($0 < 10 ? "0" : "")\($0).mp4 1"] ?? 0 }
        #expect(Set(found.values) == Set(groups.map(\.members)))
    }

    @Test("People who are seen at the same time are different people, even with equal faces")
    func simultaneous() async throws {
        let scene = try StudyScene()
        try scene.add("a.mp4", together: [0, 0])
        try scene.add("b.mp4", [0: 1])
        try await scene.run()
        let numbers = try scene.numbers
        #expect(numbers["a.mp4 1"] != numbers["a.mp4 2"])
        #expect(numbers["b.mp4 1"] == numbers["a.mp4 1"] || numbers["b.mp4 1"] == numbers["a.mp4 2"])
    }

    @Test("People of one video whom a correction tells apart stay different", arguments: [0.9, 1])
    func toldApart(confidence: Double) async throws {
        let scene = try StudyScene()
        let face = Array(repeating: SyntheticFace.vector([0: 1]), count: 3)
        try scene.add(
            "a.mp4",
            [
                StudyScene.Track(face: 1, seconds: 0...4, embeddings: face),
                StudyScene.Track(face: 2, seconds: 5...9, embeddings: face, confidence: confidence),
            ])
        try await scene.run()
        let numbers = try scene.numbers
        #expect((numbers["a.mp4 1"] == numbers["a.mp4 2"]) == (confidence < 1))
    }

    @Test("Where similar people are seen together, faces must be nearer to each other")
    func calibration() async throws {
        // The two in a.mp4 are 0.8 or 0.4 apart; the one in b.mp4 is 0.4 from the first one.
        for (together, isJoined) in [(0.8, true), (0.4, false)] {
            let scene = try StudyScene()
            let first = SyntheticFace.vector([0: 1])
            try scene.add(
                "a.mp4", together: [first, SyntheticFace.vector(0, at: together, towards: 1)], samples: 2)
            try scene.add("b.mp4", face: SyntheticFace.vector(0, at: 0.4, towards: 2), samples: 2)
            try await scene.run()
            let numbers = try scene.numbers
            #expect((numbers["a.mp4 1"] == numbers["b.mp4 1"]) == isJoined, "\(together)")
        }
    }

    @Test("Two pictures must be nearer to each other than two tracks", arguments: [(1, false), (2, true), (5, true)])
    func evidence(samples: Int, isJoined: Bool) async throws {
        let scene = try StudyScene()
        try scene.add("a.mp4", face: SyntheticFace.vector([0: 1]), samples: samples)
        try scene.add("b.mp4", face: SyntheticFace.vector(0, at: 0.4, towards: 1), samples: samples)
        try await scene.run()
        let numbers = try scene.numbers
        #expect((numbers["a.mp4 1"] == numbers["b.mp4 1"]) == isJoined)
    }

    @Test("Two people who are each in many pictures are joined in a later round", arguments: [(1, 2), (4, 1)])
    func rounds(pictures: Int, people: Int) async throws {
        let scene = try StudyScene()
        for index in 0..<pictures {
            try scene.add("a\(index).mp4", [0: 1])
            try scene.add("b\(index).mp4", face: SyntheticFace.vector(0, at: 0.44, towards: 1))
        }
        #expect(try await scene.run().people == people)
    }

    @Test("Two people of one video are joined only if their faces are much nearer than the limit")
    func oneVideo() async throws {
        for (distance, isJoined) in [(0.3, false), (0.22, true)] {
            let scene = try StudyScene()
            try scene.add(
                "a.mp4",
                [
                    Track(face: 1, seconds: 0...4, embeddings: [SyntheticFace.vector([0: 1])]),
                    Track(face: 2, seconds: 5...9, embeddings: [SyntheticFace.vector(0, at: distance, towards: 1)]),
                ])
            try await scene.run()
            let table = try scene.table
            #expect(table.rows.count == (isJoined ? 1 : 2))
            if isJoined {
                #expect(try table.text("person_ids", 0) == "1 2")
                #expect(try table.number("seconds", 0) == 8)
                #expect(try table.number("last_time", 0) == 9)
            }
        }
    }

    @Test("A question about two people of one video that were joined shows each of them with their own tracks")
    func doubtInOneVideo() async throws {
        let scene = try StudyScene()
        try scene.add(
            "a.mp4",
            [
                Track(face: 1, seconds: 0...4, embeddings: [SyntheticFace.vector([0: 1])]),
                Track(face: 2, seconds: 5...9, embeddings: [SyntheticFace.vector(0, at: 0.22, towards: 1)]),
            ])
        try await scene.run()
        let page = try scene.folder.text("study/people.html")
        let pair = try #require(page.firstMatch(of: /<li class="pair"(?s:.*?)<\/li>/)).output
        #expect(pair.contains("4.0 s from 0:00, face 1;"), "\(pair)")
        #expect(pair.contains("4.0 s from 0:05, face 2;"), "\(pair)")
    }

    @Test("A close decision has a confidence of about one half, and is on the page; a clear one is not")
    func confidence() async throws {
        let scene = try StudyScene()
        try scene.add("a.mp4", [0: 1])
        try scene.add("b.mp4", face: SyntheticFace.vector(0, at: 0.31, towards: 1))
        try scene.add("c.mp4", [10: 1])
        try scene.add("d.mp4", face: SyntheticFace.vector(10, at: 0.34, towards: 11))
        try scene.add("e.mp4", [20: 1])
        try scene.add("f.mp4", face: SyntheticFace.vector(20, at: 0.1, towards: 21))
        let summary = try await scene.run()
        let numbers = try scene.numbers
        #expect(numbers["a.mp4 1"] == numbers["b.mp4 1"])
        #expect(numbers["c.mp4 1"] != numbers["d.mp4 1"])
        #expect(numbers["e.mp4 1"] == numbers["f.mp4 1"])
        for video in ["a.mp4", "b.mp4", "c.mp4", "d.mp4"] {
            #expect((0.5...0.7).contains(try scene.confidence(video)), "\(video)")
        }
        for video in ["e.mp4", "f.mp4"] { #expect(try scene.confidence(video) > 0.95) }
        #expect(summary.doubts == 2)
        let page = try scene.folder.text("study/people.html")
        #expect(page.contains("[2,3]"), "\(numbers)")
        #expect(page.contains(/split&quot;,&quot;person&quot;:1,&quot;video&quot;:&quot;[ab]\.mp4/))
        #expect(page.matches(of: /<li class="pair"/).count == 2)
    }

    @Test("A person without an embedding has a number, and a confidence that says that nothing was compared")
    func unjudged() async throws {
        let scene = try StudyScene()
        try scene.add(
            "a.mp4",
            [
                Track(face: 1, embeddings: [SyntheticFace.vector([0: 1])]), Track(face: 2, embeddings: []),
            ])
        try await scene.run()
        #expect(try scene.numbers == ["a.mp4 1": 1, "a.mp4 2": 2])
        #expect(try scene.table.numbers("confidence")[1] == 0.3)
    }
}
