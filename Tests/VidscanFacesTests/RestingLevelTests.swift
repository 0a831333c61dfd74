import Testing
import TestSupport
import VidscanFaces

@Suite("A person's resting levels")
struct RestingLevelTests {
    private static func levels(_ samples: [[Metric: Double]], seconds: Double = 0.2) -> RestingLevels? {
        var estimate = RestingLevelEstimate()
        for sample in samples { estimate.add(seconds: seconds) { sample[$0] } }
        return estimate.levels
    }

    @Test("The order of the samples makes no difference, to the last bit", arguments: [1 as UInt64, 2, 3])
    func order(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let samples = (0..<500).map { _ in
            [
                Metric.browFurrow: Double.random(in: 0...100, using: &generator),
                .leftEyeOpenness: .random(in: 0...100, using: &generator),
            ]
        }
        let first = try #require(Self.levels(samples))
        for _ in 0..<5 { #expect(Self.levels(samples.shuffled(using: &generator)) == first) }
    }

    @Test("An expression rests at its lower quartile, and an eye's open level is exceeded a tenth of the time")
    func quantiles() throws {
        let samples = (0..<1000).map {
            [Metric.smile: Double($0) / 10, .leftEyeOpenness: Double($0) / 10, .rightEyeOpenness: 40]
        }
        let levels = try #require(Self.levels(samples))
        #expect(abs((levels[.smile] ?? 0) - 25) < 0.4)
        #expect(abs((levels[.leftEyeOpenness] ?? 0) - 90) < 0.4)
        #expect(abs((levels[.rightEyeOpenness] ?? 0) - 40) < 0.4)
        // Never measured.
        #expect(levels[.browFurrow] == nil)
    }

    @Test("Less than five seconds of samples have no levels, however few samples there are a second")
    func shortVideo() {
        let sample = [Metric.smile: 10.0]
        #expect(Self.levels(Array(repeating: sample, count: 24)) == nil)
        #expect(Self.levels(Array(repeating: sample, count: 25)) != nil)
        #expect(Self.levels(Array(repeating: sample, count: 124), seconds: 0.04) == nil)
        #expect(Self.levels(Array(repeating: sample, count: 125), seconds: 0.04) != nil)
        // One sample every ten seconds.
        #expect(Self.levels(Array(repeating: sample, count: 24), seconds: 10) == nil)
        // A still picture.
        #expect(Self.levels([sample], seconds: 0) == nil)
    }

    @Test("Relative values stay in range and in order, and no expression rises")
    func relative() {
        for metric in RestingLevels.metrics where metric.group == .expressions {
            for rest in stride(from: 0.0, through: 100, by: 2.5) {
                let levels = RestingLevels([metric: rest])
                let values = stride(from: 0.0, through: 100, by: 0.5).map { levels.relative($0, of: metric) }
                #expect(values.first == 0 && values.last == 100, "\(metric) \(rest)")
                #expect(zip(values, values.dropFirst()).allSatisfy { $0 < $1 }, "\(metric) \(rest)")
                #expect(zip(values, stride(from: 0.0, through: 100, by: 0.5)).allSatisfy { $0 <= $1 + 1e-9 })
            }
        }
    }

    @Test("Heavy brows at rest are neutral, and furrowed ones still are furrowed")
    func brows() {
        let levels = RestingLevels([.browFurrow: 33])
        let typical = RestingLevels([.browFurrow: 100]).relative(0, of: .browFurrow)
        #expect(typical == 0)
        #expect(abs(levels.relative(33, of: .browFurrow) - 9.6) < 3)
        #expect(levels.relative(95, of: .browFurrow) > 90)
    }

    @Test("Somebody who smiles all the time keeps the smile")
    func smile() {
        let levels = RestingLevels([.smile: 90])
        #expect(levels.relative(90, of: .smile) > 85)
    }

    @Test("Gaze, the head's direction, flags, emotions and emojis have no resting level")
    func metrics() {
        let others: [Metric] = [
            .attention, .eyeClosure, .gazeYaw, .gazePitch, .leftEyeClosed, .hasSmile, .valence, .joy,
        ]
        for metric in others + [.wink] {
            #expect(!RestingLevels.metrics.contains(metric))
            #expect(RestingLevels([:]).relative(33, of: metric) == 33)
        }
        #expect(RestingLevels.metrics.count == 21)
    }

    @Test("A narrow eye is fully open at its own level, and an eye that is always shut is not")
    func eyes() {
        #expect(RestingLevels([.leftEyeOpenness: 60]).relative(60, of: .leftEyeOpenness) == 100)
        #expect(RestingLevels([.leftEyeOpenness: 60]).relative(90, of: .leftEyeOpenness) == 100)
        #expect(RestingLevels([.leftEyeOpenness: 4]).relative(4, of: .leftEyeOpenness) < 10)
    }
}
