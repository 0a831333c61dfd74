import Testing
import TestSupport
import VidscanBase
import VidscanFaces

/// A synthetic scene: the detections of people whose paths are known exactly.
struct TrackingScene {
    struct Person {
        /// Determines the appearance.
        var identity: Int
        /// The centre and the size at a time; `nil` while the person is not visible.
        var path: (Double) -> (x: Double, y: Double, size: Double)?
    }

    var name: String
    var seconds: Double
    var rate: Double
    var people: [Person]
    /// The times of cuts, as a shot detector reports them.
    var cuts: [Double] = []
    var missShare = 0.04
    var falsePositivesPerFrame = 0.05

    static let size = PictureSize(width: 1280, height: 720)

    /// Runs the tracker over the scene.
    ///
    /// - Parameter byPerson: Whether tracks are scored by person_id instead of face_id.
    func run(seed: UInt64, byPerson: Bool = false, score: inout IdentityScore) {
        var summaries: [TrackSummary] = []
        var generator = TrackingGenerator(seed: seed)
        var tracker = FaceTracker(startingConfidence: 0.5)
        var cutsLeft = cuts[...]
        var previous: Double = -1
        for sample in 0..<Int(seconds * rate) {
            let time = Double(sample) / rate
            var isAfterCut = false
            while let cut = cutsLeft.first, cut <= time + 1e-9 {
                isAfterCut = cut > previous
                cutsLeft = cutsLeft.dropFirst()
            }
            previous = time
            var truth: [(identity: Int, box: Rectangle)] = []
            for person in people {
                guard let place = person.path(time) else { continue }
                truth.append(
                    (
                        person.identity,
                        Rectangle(
                            x: place.x - place.size / 2, y: place.y - place.size / 2, width: place.size,
                            height: place.size)
                    ))
            }
            // People later in the list are behind earlier ones, and a mostly covered face is not detected.
            let visible = truth.indices.filter { index in
                !truth[..<index].contains {
                    $0.box.intersectionArea(with: truth[index].box) > 0.5 * truth[index].box.area
                }
            }.map { truth[$0] }
            var found: [(detection: TrackedDetection, identity: Int?)] = []
            for face in visible where generator.unit() >= missShare {
                let jitter = { generator.normal() * 0.03 * face.box.width }
                let box = Rectangle(
                    x: face.box.x + jitter(), y: face.box.y + jitter(), width: face.box.width + jitter(),
                    height: face.box.height + jitter())
                let confidence = min(0.99, max(0.3, 0.8 + 0.12 * generator.normal()))
                found.append(
                    (
                        TrackedDetection(
                            box: box, confidence: confidence,
                            appearance: generator.appearance(of: face.identity)), face.identity
                    ))
            }
            if generator.unit() < falsePositivesPerFrame {
                let size = 40 + 80 * generator.unit()
                let box = Rectangle(
                    x: generator.unit() * 1100, y: generator.unit() * 600, width: size, height: size)
                found.append(
                    (
                        TrackedDetection(
                            box: box, confidence: 0.3 + 0.3 * generator.unit(),
                            appearance: generator.appearance(of: Int(generator.next() % 1000) + 1000)), nil
                    ))
            }
            let ids = tracker.update(found.map(\.detection), seconds: time, isAfterCut: isAfterCut)
            for (face, id) in zip(found, ids) {
                guard let id else { continue }
                while summaries.count < id {
                    summaries.append(
                        TrackSummary(
                            detection: face.detection, seconds: time,
                            sample: sample,
                            shot: 0, pictureSize: Self.size))
                }
                summaries[id - 1].add(face.detection, weight: 1, seconds: time, sample: sample)
            }
            score.add(
                truth: visible.map { ($0.identity, $0.box) },
                found: zip(found, ids).compactMap { face, id in id.map { ($0, face.detection.box) } })
        }
        let identities = TrackSelection(
            summaries, samplesOfShot: [Int(seconds * rate)], options: TrackSelection.Options(),
            linker: TrackletLinker()
        ).identities
        // Very short tracks are dropped. A track without a certain person counts as a person of its own.
        score.endScene(
            numbers: identities.map { identity in
                identity.map { byPerson ? $0.personID : $0.faceID }
            })
    }
}

/// Random numbers for scenes.
struct TrackingGenerator: RandomNumberGenerator {
    private var source: SeededGenerator

    init(seed: UInt64) { source = SeededGenerator(seed: seed) }

    mutating func next() -> UInt64 { source.next() }

    mutating func unit() -> Double { Double(next() >> 11) / 9_007_199_254_740_992 }

    /// The sum of twelve uniform numbers is approximately normally distributed.
    mutating func normal() -> Double { (0..<12).reduce(-6) { sum, _ in sum + unit() } }

    /// The variance between people of each number of a face shape.
    static let shapeVariances = [Double](repeating: 6, count: 12)

    /// Returns a person's face shape, with noise of variance 1.
    mutating func shape(of identity: Int) -> [Float] {
        var own = TrackingGenerator(seed: UInt64(identity) &* 104_729 &+ 5)
        return Self.shapeVariances.map { Float($0.squareRoot() * own.normal() + normal()) }
    }

    /// Returns a person's appearance, with noise. Real appearances are more similar to each other than random ones, so
    /// 60 % of each is common to all.
    mutating func appearance(of identity: Int) -> AppearanceDescriptor? {
        var own = TrackingGenerator(seed: UInt64(identity) &* 7919 &+ 13)
        var common = TrackingGenerator(seed: 1)
        let bytes = (0..<AppearanceDescriptor.byteCount).map { index -> UInt8 in
            let base = 0.6 * common.unit() + 0.4 * own.unit()
            // The regions contain square roots of shares: many small values and few large ones.
            let shaped = index < 64 ? base : base * base
            return UInt8(min(max((shaped + 0.05 * normal()) * 255, 1), 255))
        }
        return AppearanceDescriptor(bytes: bytes)
    }
}

/// Computes MOTA (Bernardin and Stiefelhagen, 2008) and IDF1 (Ristani et al., 2016) over several scenes.
struct IdentityScore {
    private(set) var truthCount = 0
    private(set) var misses = 0
    private(set) var falsePositives = 0
    private(set) var switches = 0
    private(set) var identityTruePositives = 0
    private(set) var foundCount = 0
    /// The number of tracks that were matched with more than one person, in at least two samples each.
    private(set) var sharedTracks = 0
    private var frames: [(truth: [(Int, Rectangle)], found: [(Int, Rectangle)])] = []

    var idf1: Double { 2 * Double(identityTruePositives) / Double(max(truthCount + foundCount, 1)) }
    var mota: Double { 1 - Double(misses + falsePositives + switches) / Double(max(truthCount, 1)) }

    mutating func add(truth: [(Int, Rectangle)], found: [(Int, Rectangle)]) {
        frames.append((truth, found))
    }

    /// - Parameter numbers: The number that each track is reported with, from track 1 on; `nil` for dropped tracks.
    mutating func endScene(numbers: [Int?]) {
        var pairCounts: [Int: [Int: Int]] = [:]
        var last: [Int: Int] = [:]
        for frame in frames {
            let found = frame.found.compactMap { track, box in numbers[track - 1].map { ($0, box) } }
            truthCount += frame.truth.count
            foundCount += found.count
            var cost = [Double?](repeating: nil, count: frame.truth.count * found.count)
            for (row, truth) in frame.truth.enumerated() {
                for (column, face) in found.enumerated() {
                    let overlap = truth.1.intersectionOverUnion(with: face.1)
                    if overlap >= 0.5 {
                        cost[row * found.count + column] = -overlap - (last[truth.0] == face.0 ? 1 : 0)
                    }
                }
            }
            let pairs = Assignment.solve(
                cost: cost, rowCount: frame.truth.count, columnCount: found.count, unpaired: 0)
            var matched = 0
            for (row, column) in pairs.enumerated() {
                guard let column else {
                    misses += 1
                    continue
                }
                matched += 1
                let (person, track) = (frame.truth[row].0, found[column].0)
                if let before = last[person], before != track { switches += 1 }
                last[person] = track
                pairCounts[track, default: [:]][person, default: 0] += 1
            }
            falsePositives += found.count - matched
        }
        sharedTracks += pairCounts.values.count { $0.values.count { $0 >= 2 } > 1 }
        let people = Set(pairCounts.values.flatMap(\.keys)).sorted()
        let tracks = pairCounts.keys.sorted()
        var cost: [Double?] = []
        for person in people { for track in tracks { cost.append(pairCounts[track]?[person].map { -Double($0) }) } }
        let pairs = Assignment.solve(cost: cost, rowCount: people.count, columnCount: tracks.count, unpaired: 0)
        for (row, column) in pairs.enumerated() {
            if let column { identityTruePositives += pairCounts[tracks[column]]?[people[row]] ?? 0 }
        }
        frames = []
    }
}

@Suite("Faces keep their numbers from sample to sample")
struct TrackingTests {
    private static func scenes(rate: Double) -> [TrackingScene] {
        typealias Person = TrackingScene.Person
        let crossing = TrackingScene(
            name: "crossing with full occlusion", seconds: 8, rate: rate,
            people: [
                Person(identity: 1) { (200 + 110 * $0, 300, 130) }, Person(identity: 2) { (1080 - 110 * $0, 305, 130) },
            ])
        let returning = TrackingScene(
            name: "leaves and returns", seconds: 9, rate: rate,
            people: [
                Person(identity: 3) { t in t < 3 || t >= 3.5 ? (400 + 20 * t, 300, 120) : nil },
                Person(identity: 4) { (900, 320 + 10 * $0, 140) },
            ])
        let cut = TrackingScene(
            name: "cut between people at one place, and back", seconds: 9, rate: rate,
            people: [
                Person(identity: 5) { t in t < 3 || t >= 6 ? (640, 300, 180) : nil },
                Person(identity: 6) { t in t >= 3 && t < 6 ? (645, 305, 175) : nil },
            ], cuts: [3, 6])
        let slow = TrackingScene(
            name: "slow", seconds: 8, rate: rate,
            people: [Person(identity: 7) { (300 + 15 * $0, 300 + 5 * $0, 110) }])
        // One and a half face sizes per second, back and forth; three at 25 samples per second.
        let speed = rate > 10 ? 330.0 : 165.0
        let fast = TrackingScene(
            name: "fast", seconds: 8, rate: rate,
            people: [
                Person(identity: 8) { t in
                    let way = (t * speed).truncatingRemainder(dividingBy: 1600)
                    return (200 + (way < 800 ? way : 1600 - way), 250, 110)
                },
                Person(identity: 9) { t in
                    let way = (t * speed + 400).truncatingRemainder(dividingBy: 1600)
                    return (200 + (way < 800 ? way : 1600 - way), 520, 110)
                },
            ])
        let ten = TrackingScene(
            name: "ten faces", seconds: 8, rate: rate,
            people: (0..<10).map { index in
                Person(identity: 20 + index) { t in
                    (
                        120 + 115 * Double(index) + 25 * (t + Double(index)).truncatingRemainder(dividingBy: 2),
                        250 + 160 * Double(index % 2), 85
                    )
                }
            })
        return [crossing, returning, cut, slow, fast, ten]
    }

    @Test("Faces keep their numbers through crossings, gaps and cuts", arguments: [2.0, 5.0, 25.0])
    func continuity(rate: Double) {
        var (faces, people) = (IdentityScore(), IdentityScore())
        for scene in Self.scenes(rate: rate) {
            for seed in 1...5 as ClosedRange<UInt64> {
                scene.run(seed: seed, score: &faces)
                scene.run(seed: seed, byPerson: true, score: &people)
            }
        }
        // One scene cuts away from a person for three seconds, which only linking can bridge.
        #expect(faces.idf1 >= 0.94)
        #expect(people.idf1 >= 0.95)
        #expect(faces.mota >= 0.92)
        #expect(faces.sharedTracks == 0)
        #expect(people.sharedTracks == 0)
    }

    @Test("Two people never share a number across a cut", arguments: [2.0, 5.0, 25.0])
    func cut(rate: Double) {
        var score = IdentityScore()
        for seed in 1...20 as ClosedRange<UInt64> { Self.scenes(rate: rate)[2].run(seed: seed, score: &score) }
        #expect(score.foundCount > score.truthCount / 2)
        #expect(score.sharedTracks == 0)
    }

    @Test("Two people who cross never share a number")
    func crossing() {
        for rate in [5.0, 25.0] {
            var score = IdentityScore()
            for seed in 1...20 as ClosedRange<UInt64> { Self.scenes(rate: rate)[0].run(seed: seed, score: &score) }
            #expect(score.foundCount > score.truthCount / 2)
            #expect(score.sharedTracks == 0)
        }
    }

    @Test("A face of low confidence continues a track but does not start one")
    func lowConfidence() {
        var tracker = FaceTracker()
        let box = Rectangle(x: 100, y: 100, width: 80, height: 80)
        #expect(tracker.update([TrackedDetection(box: box, confidence: 0.4)], seconds: 0) == [nil])
        #expect(tracker.update([TrackedDetection(box: box, confidence: 0.7)], seconds: 0.2) == [1])
        #expect(tracker.update([TrackedDetection(box: box, confidence: 0.3)], seconds: 0.4) == [1])
    }

    @Test("A track ends after the maximum gap, and its number is not used again")
    func gap() {
        var tracker = FaceTracker(maximumGapSeconds: 1)
        let face = TrackedDetection(box: Rectangle(x: 100, y: 100, width: 80, height: 80))
        #expect(tracker.update([face], seconds: 0) == [1])
        #expect(tracker.update([], seconds: 0.5) == [])
        #expect(tracker.update([face], seconds: 1) == [1])
        #expect(tracker.update([face], seconds: 2.1) == [2])
    }

    @Test("A cut ends every track that has no appearance")
    func cutWithoutAppearance() {
        var tracker = FaceTracker()
        let face = TrackedDetection(box: Rectangle(x: 100, y: 100, width: 80, height: 80))
        #expect(tracker.update([face], seconds: 0) == [1])
        #expect(tracker.update([face], seconds: 0.2, isAfterCut: true) == [2])
    }

    @Test("New numbers count from left to right within a sample, for any order of detections")
    func leftToRight() {
        let faces = [700.0, 100, 400].map { TrackedDetection(box: Rectangle(x: $0, y: 100, width: 80, height: 80)) }
        var tracker = FaceTracker()
        #expect(tracker.update(faces, seconds: 0) == [3, 1, 2])
    }

    @Test("The assignment has the smallest total cost")
    func assignment() {
        // Greedily choosing the cheapest pair first would cost 1 + 9.
        let pairs = Assignment.solve(cost: [1, 2, 3, 9], rowCount: 2, columnCount: 2, unpaired: 100)
        #expect(pairs == [1, 0])
        #expect(Assignment.solve(cost: [nil, 5], rowCount: 1, columnCount: 2, unpaired: 4) == [nil])
        #expect(Assignment.solve(cost: [-1, nil, -3, -2], rowCount: 2, columnCount: 2, unpaired: 0) == [0, 1])
    }
}
