import Testing
import VidscanBase
import VidscanFaces

@Suite("Cuts and dissolves are found, and nothing else is taken for one")
struct ShotDetectorTests {
    /// Returns an image of smooth random blobs, different for every seed. `x` moves the camera.
    private static func picture(seed: UInt64, x: Double = 0, light: Float = 1) -> [Float] {
        let (width, height, cell) = (160, 90, 26.0)
        var generator = TrackingGenerator(seed: seed)
        let columns = 40
        let lattice = (0..<columns * 6).map { _ in generator.unit() }
        let tint = (0..<3).map { _ in 0.5 + 0.5 * generator.unit() }
        var tensor = [Float](repeating: 0, count: 3 * width * height)
        for row in 0..<height {
            for column in 0..<width {
                let (u, v) = ((Double(column) + x) / cell, Double(row) / cell)
                let (i, j) = (Int(u), Int(v))
                let at = { (dx: Int, dy: Int) in lattice[(j + dy) * columns + (i + dx) % columns] }
                let (p, q) = (u - Double(i), v - Double(j))
                let value =
                    (at(0, 0) * (1 - p) + at(1, 0) * p) * (1 - q) + (at(0, 1) * (1 - p) + at(1, 1) * p) * q
                for channel in 0..<3 {
                    tensor[channel * width * height + row * width + column] =
                        min(255, Float(255 * value * tint[channel]) * light)
                }
            }
        }
        return tensor
    }

    private static func changes(_ pictures: [[Float]], rate: Double) -> [ShotChange] {
        var detector = ShotDetector()
        for (number, tensor) in pictures.enumerated() {
            tensor.withUnsafeBufferPointer { buffer in
                guard let base = buffer.baseAddress else { Issue.record("there is no picture"); return }
                let size = PictureSize(width: 160, height: 90)
                detector.add(
                    FrameSignature(TensorPicture(base: base, size: size, tensorSize: size)),
                    seconds: Double(number) / rate)
            }
        }
        detector.finish()
        return detector.changes
    }

    @Test("A cut is found at the first sample of the new shot", arguments: [1.0, 5, 25])
    func cut(rate: Double) {
        let pictures = (0..<12).map { Self.picture(seed: $0 < 6 ? 1 : 4, x: Double($0)) }
        #expect(
            Self.changes(pictures, rate: rate) == [ShotChange(kind: .hard, sample: 6, seconds: 6 / rate)])
    }

    @Test(
        "A cut is found at the rate of a high-speed camera, and among samples of one time",
        arguments: [400.0, .infinity])
    func fastCut(rate: Double) {
        let (old, new) = (Self.picture(seed: 1), Self.picture(seed: 4))
        let changes = Self.changes((0..<400).map { $0 < 130 ? old : new }, rate: rate)
        #expect(changes == [ShotChange(kind: .hard, sample: 130, seconds: 130 / rate)])
    }

    @Test("A cut at the last sample is found")
    func lastSample() {
        let pictures = (0..<6).map { Self.picture(seed: $0 < 5 ? 1 : 4) }
        #expect(Self.changes(pictures, rate: 5).map(\.sample) == [5])
    }

    /// Returns an image of a plain wall. A person in front of it covers a third of its width, unless `person` is `nil`.
    private static func wall(person: UInt64?) -> [Float] {
        var tensor = [Float](repeating: 150, count: 3 * 160 * 90)
        guard let person else { return tensor }
        let portrait = picture(seed: person)
        for row in 15..<90 {
            for column in 60..<110 {
                for channel in 0..<3 {
                    let index = channel * 160 * 90 + row * 160 + column
                    tensor[index] = portrait[index]
                }
            }
        }
        return tensor
    }

    private static func changes(people: [UInt64?]) -> [ShotChange] {
        var detector = ShotDetector()
        let face = Rectangle(x: 0.43, y: 0.25, width: 0.2, height: 0.4)
        for (number, person) in people.enumerated() {
            wall(person: person).withUnsafeBufferPointer { buffer in
                guard let base = buffer.baseAddress else { Issue.record("there is no picture"); return }
                let size = PictureSize(width: 160, height: 90)
                detector.add(
                    FrameSignature(TensorPicture(base: base, size: size, tensorSize: size)),
                    faces: person == nil ? [] : [face], seconds: Double(number) / 5)
            }
        }
        detector.finish()
        return detector.changes
    }

    @Test("A person who enters or leaves before a plain background is not a cut")
    func person() {
        #expect(Self.changes(people: [2, 2, 2, 2, nil, nil, nil, nil]).isEmpty)
        #expect(Self.changes(people: [nil, nil, nil, nil, 2, 2, 2, 2]).isEmpty)
    }

    @Test("Another person in the same position before the same wall is a cut")
    func otherPerson() {
        #expect(Self.changes(people: [1, 1, 1, 1, 3, 3, 3, 3]).map(\.sample) == [4])
    }

    private static func mixture(_ one: [Float], _ other: [Float], share: Float) -> [Float] {
        zip(one, other).map { $0 + ($1 - $0) * share }
    }

    @Test(
        "A cut with one mixture of both shots between them is found where the new shot prevails",
        arguments: [(share: Float(0.3), sample: 6), (share: 0.7, sample: 5)])
    func mixedCut(_ mixed: (share: Float, sample: Int)) {
        var pictures = (0..<12).map { Self.picture(seed: $0 < 6 ? 1 : 4) }
        pictures[5] = Self.mixture(pictures[4], pictures[6], share: mixed.share)
        let changes = Self.changes(pictures, rate: 25)
        #expect(changes.map(\.sample) == [mixed.sample])
        #expect(changes.first?.kind == .hard)
    }

    /// Returns two views of one scene. What they share is stronger than the pattern by which they differ everywhere.
    private static func views() -> ([Float], [Float]) {
        let one = picture(seed: 1).map { 0.6 * $0 + 50 }
        let other = one.enumerated().map { index, value in
            let (row, column) = (index / 160 % 90, index % 160)
            return value + ((row / 15 + column / 20) % 2 == 0 ? 17 : -17)
        }
        return (one, other)
    }

    @Test("A cut between two similar views is found, also through a mixture", arguments: [false, true])
    func faintCut(isMixed: Bool) {
        let (one, other) = Self.views()
        var pictures = (0..<12).map { $0 < 6 ? one : other }
        if isMixed { pictures[5] = Self.mixture(one, other, share: 0.4) }
        #expect(Self.changes(pictures, rate: 25).map(\.sample) == [6])
    }

    @Test("The same difference is not a cut if only half of the frame changes, or if the content changes all the time")
    func motion() {
        let (one, other) = Self.views()
        let half = zip(one, other).enumerated().map { $0 % 160 < 80 ? $1.0 : $1.1 }
        #expect(Self.changes((0..<12).map { $0 < 6 ? one : half }, rate: 25).isEmpty)
        #expect(Self.changes((0..<12).map { $0 % 2 == 0 ? one : other }, rate: 25).isEmpty)
    }

    @Test("A flash is not a cut")
    func flash() {
        let pictures = (0..<12).map { Self.picture(seed: 1, x: Double($0), light: $0 == 5 || $0 == 6 ? 3 : 1) }
        #expect(Self.changes(pictures, rate: 10).isEmpty)
    }

    @Test("Lights that go out and on again are not cuts")
    func lights() {
        let pictures = (0..<16).map { Self.picture(seed: 2, x: Double($0), light: $0 < 5 || $0 > 10 ? 1 : 0.4) }
        #expect(Self.changes(pictures, rate: 5).isEmpty)
    }

    @Test("A panning camera is not a cut", arguments: [1.0, 3, 6])
    func pan(step: Double) {
        let pictures = (0..<20).map { Self.picture(seed: 3, x: step * Double($0)) }
        #expect(Self.changes(pictures, rate: 5).isEmpty)
    }

    @Test("A dissolve is one gradual change at its middle", arguments: [5.0, 12, 25])
    func dissolve(rate: Double) {
        let (old, new) = (Self.picture(seed: 1), Self.picture(seed: 4))
        let count = Int(rate)
        let pictures = (0..<4 * count).map { number -> [Float] in
            let share = Float(min(max(Double(number - count) / Double(count), 0), 1))
            return zip(old, new).map { $0 + share * ($1 - $0) }
        }
        let changes = Self.changes(pictures, rate: rate)
        #expect(changes.map(\.kind) == [.gradual])
        #expect(changes.allSatisfy { abs($0.seconds - 1.5) <= 0.25 })
    }

    @Test("A fade-in from black is not a cut")
    func fade() {
        let pictures = (0..<14).map { Self.picture(seed: 2, light: min(1, Float($0) / 8)) }
        #expect(Self.changes(pictures, rate: 10).isEmpty)
    }
}
