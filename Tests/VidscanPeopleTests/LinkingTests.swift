import Testing
import TestSupport
import VidscanPeople

@Suite("People of many videos are joined by their faces")
struct LinkingTests {
    private typealias Track = SyntheticResult.Track

    /// A random vector of a given length.
    private static func random(_ length: Float, _ generator: inout SeededGenerator) -> [Float] {
        let vector = (0..<128).map { _ in
            (0..<6).reduce(Float(0)) { sum, _ in sum + Float.random(in: -1...1, using: &generator) }
        }
        let norm = vector.reduce(0) { $0 + $1 * $1 }.squareRoot()
        return vector.map { $0 * length / norm }
    }

    private static func sum(_ one: [Float], _ other: [Float]) -> [Float] { zip(one, other).map { $0 + $1 } }

    /// Twelve videos with three of six people each, all seen at the same time.
    ///
    /// - Returns: The person of each track.
    private static func makeCast(_ scene: StudyScene) throws -> [String: Int] {
        var generator = SeededGenerator(seed: 1)
        let cast = (0..<6).map { _ in random(0.6, &generator) }
        var truth: [String: Int] = [:]
        for video in 0..<12 {
            let who = (0..<6).shuffled(using: &generator).prefix(3)
            let tracks = who.enumerated().map { index, person in
                let light = random(0.12, &generator)
                return Track(
                    face: index + 1,
                    embeddings: (0..<5).map { _ in
                        sum(sum(cast[person], light), random(0.15, &generator))
                    })
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

    /// The nearest pair of groups is joined first, with all distances between all samples.
    @Test("The result is that of average linkage over all pairs of samples")
    func averageLinkage() async throws {
        let scene = try StudyScene()
        var generator = SeededGenerator(seed: 2)
        let bases = (0..<12).map { _ in Self.random(0.33, &generator) }
        var samples: [[[Float]]] = []
        for video in 0..<60 {
            let base = bases[video % bases.count]
            let person = Self.sum(base, Self.random(0.315, &generator))
            samples.append(
                (0...video % 4).map { _ in Self.sum(person, Self.random(0.05, &generator)) })
            let name = "v\(video < 10 ? "0" : "")\(video).mp4"
            try scene.add(name, [Track(face: 1, embeddings: samples[video])])
        }
        try await scene.run()
        var groups = samples.indices.map { [$0] }
        func distance(_ one: [Int], _ other: [Int]) -> Double {
            let (a, b) = (one.flatMap { samples[$0] }, other.flatMap { samples[$0] })
            let total = a.reduce(0.0) { sum, x in
                b.reduce(sum) { $0 + zip(x, $1).reduce(0.0) { $0 + Double(($1.0 - $1.1) * ($1.0 - $1.1)) } }
            }
            return total / Double(a.count * b.count)
        }
        while true {
            var best = (distance: 0.45 * 0.45, one: 0, other: 0)
            for other in groups.indices {
                for one in 0..<other {
                    let value = distance(groups[one], groups[other])
                    if value < best.distance { best = (value, one, other) }
                }
            }
            guard best.one != best.other else { break }
            groups[best.one] = (groups[best.one] + groups[best.other]).sorted()
            groups.remove(at: best.other)
        }
        // A test in which everybody or nobody is joined would show little.
        #expect((13...50).contains(groups.count), "\(groups.count) groups")
        let numbers = try scene.numbers
        let found = Dictionary(grouping: 0..<60) { numbers["v\($0 < 10 ? "0" : "")\($0).mp4 1"] ?? 0 }
        #expect(Set(found.values) == Set(groups))
    }

    @Test("People who are seen at the same time are different people, even with equal faces")
    func simultaneous() async throws {
        let scene = try StudyScene()
        try scene.add("a.mp4", together: [[0: 0.6], [0: 0.6]])
        try scene.add("b.mp4", [0: 0.6])
        try await scene.run()
        let numbers = try scene.numbers
        #expect(numbers["a.mp4 1"] != numbers["a.mp4 2"])
        #expect(numbers["b.mp4 1"] == numbers["a.mp4 1"] || numbers["b.mp4 1"] == numbers["a.mp4 2"])
    }

    @Test("Where similar people are seen together, faces must be nearer to each other")
    func calibration() async throws {
        // The two in a.mp4 are 0.8 and 0.4 apart; the one in b.mp4 is 0.4 from the first one.
        for (together, isJoined) in [(Float(0.8), true), (0.4, false)] {
            let scene = try StudyScene()
            try scene.add("a.mp4", together: [[0: 0.6], [0: 0.6, 1: together]])
            try scene.add("b.mp4", [0: 0.6, 2: 0.4])
            try await scene.run()
            let numbers = try scene.numbers
            #expect((numbers["a.mp4 1"] == numbers["b.mp4 1"]) == isJoined, "\(together)")
        }
    }

    @Test("Where nothing calibrates, two numbers are preferred")
    func uncalibrated() async throws {
        for (others, isJoined) in [([], false), ([[5: Float(1)]], true)] {
            let scene = try StudyScene()
            try scene.add("a.mp4", together: [[0: 0.6]] + others)
            try scene.add("b.mp4", together: [[0: 0.6, 2: 0.47]] + others)
            try await scene.run()
            let numbers = try scene.numbers
            #expect((numbers["a.mp4 1"] == numbers["b.mp4 1"]) == isJoined, "\(others)")
        }
    }

    @Test("Two people of one video are joined only if their faces are much nearer than the limit")
    func oneVideo() async throws {
        for (distance, isJoined) in [(Float(0.4), false), (0.3, true)] {
            let scene = try StudyScene()
            try scene.add(
                "a.mp4",
                [
                    Track(face: 1, seconds: 0...4, embeddings: [SyntheticResult.vector([0: 0.6])]),
                    Track(face: 2, seconds: 5...9, embeddings: [SyntheticResult.vector([0: 0.6, 1: distance])]),
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

    @Test("A close decision has a confidence of about one half, and is on the page; a clear one is not")
    func confidence() async throws {
        let scene = try StudyScene()
        try scene.add("a.mp4", [0: 0.6])
        try scene.add("b.mp4", [0: 0.6, 1: 0.44])
        try scene.add("c.mp4", [10: 0.6])
        try scene.add("d.mp4", [10: 0.6, 11: 0.46])
        try scene.add("e.mp4", [20: 0.6])
        try scene.add("f.mp4", [20: 0.6, 21: 0.1])
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
        #expect(page.contains("<code>merge 2 3</code>"), "\(numbers)")
        #expect(
            page.contains("<code>split 1: video b.mp4</code>") || page.contains("<code>split 1: video a.mp4</code>"))
        #expect(page.matches(of: /<li class="pair">/).count == 2)
    }

    @Test("A person without an embedding has a number, and a confidence that says that nothing was compared")
    func unjudged() async throws {
        let scene = try StudyScene()
        try scene.add(
            "a.mp4",
            [
                Track(face: 1, embeddings: [SyntheticResult.vector([0: 0.6])]), Track(face: 2, embeddings: []),
            ])
        try await scene.run()
        #expect(try scene.numbers == ["a.mp4 1": 1, "a.mp4 2": 2])
        #expect(try scene.table.numbers("confidence")[1] == 0.3)
    }
}
