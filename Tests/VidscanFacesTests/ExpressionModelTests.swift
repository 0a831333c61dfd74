import Foundation
import Testing
import TestSupport
import VidscanBase
import VidscanFaces

/// The expected values come from the numpy reference implementation, which is next to the training script and uses the
/// same weights.
@Suite("The expression model equals its reference implementation")
struct ExpressionModelTests {
    private struct Golden: Decodable {
        struct Case: Decodable {
            var mesh: [[Float]]
            /// What the emotion network saw in the pixels, which are not kept.
            var evidence: [String: Double]
            var expected: [String: [String: Double]]
            /// The group of people that a neutral face stands for.
            var group: String?
        }
        /// A crop that shows no face, and its evidence.
        struct Pattern: Decodable {
            var crop: [Float]
            var expected: [String: Double]
        }
        var cases: [Case]
        var neutral: [Case]
        var patterns: [Pattern]
    }

    private static let root = URL(fileURLWithPath: Checkout.root)

    private let model: ExpressionModel
    private let golden: Golden

    init() throws {
        let resources = Self.root.appendingPathComponent("Sources/VidscanFaces/Resources")
        model = try ExpressionModel(
            description: Data(contentsOf: resources.appendingPathComponent("expressions.json")),
            weights: Data(contentsOf: resources.appendingPathComponent("expressions.weights")))
        let file = Self.root.appendingPathComponent("Tests/VidscanFacesTests/expressions.golden.json")
        golden = try JSONDecoder().decode(Golden.self, from: Data(contentsOf: file))
    }

    @Test("Every score equals the reference implementation's")
    func reference() throws {
        try #require(golden.cases.count >= 20 && model.blendshapeNames.count == 52)
        for golden in golden.cases + golden.neutral {
            let found = measure(golden)
            try #require(found.blendshapes.count == 52 && golden.expected.count == 5)
            for (name, score) in zip(model.blendshapeNames, found.blendshapes) {
                let expected = try #require(golden.expected["blendshapes"]?[name])
                #expect(abs(Double(score) - expected) < 1e-4, "\(name)")
            }
            for (group, values) in golden.expected where group != "blendshapes" {
                for (name, expected) in values {
                    // The emoji and the expression of this name have separate columns.
                    let column = group == "emojis" && name == "smirk" ? "emoji_smirk" : name
                    let metric = try #require(Metric(rawValue: column), "\(column)")
                    let value = try #require(found[metric], "\(column)")
                    #expect(abs(value - expected) < 2e-2, "\(group) \(name)")
                }
            }
        }
    }

    @Test("The emotion network's evidence equals the reference implementation's")
    func evidence() throws {
        try #require(golden.patterns.count >= 4)
        for pattern in golden.patterns {
            let found = pattern.crop.withUnsafeBufferPointer { model.emotionNetwork.evidence(in: $0) }
            try #require(found.count == 8 && pattern.expected.count == 8)
            for (name, value) in zip(model.emotionNetwork.emotions, found) {
                #expect(abs(value - (try #require(pattern.expected[name]))) < 1e-3, "\(name)")
            }
        }
        // Evidence that is clipped everywhere would agree whatever the network did.
        #expect(golden.patterns.contains { $0.expected.values.contains { abs($0) < 3 } })
    }

    @Test("A neutral face of every group of people is named by nothing")
    func neutralFaces() throws {
        try #require(golden.neutral.count > 30)
        for face in golden.neutral {
            let found = measure(face)
            let group = face.group ?? ""
            #expect(Metric.likeliest(of: Metric.namedEmotions) { found[$0] } == nil, "\(group)")
            #expect(found.dominantEmoji(among: Set(Metric.allCases)) == nil, "\(group)")
        }
    }

    @Test("An emoji of an emotion is no likelier than the emotion")
    func emojisFollowEmotions() throws {
        for golden in golden.cases + golden.neutral {
            let found = measure(golden)
            for (emoji, emotion) in [
                (Metric.laughing, Metric.joy), (.smiley, .joy), (.rage, .anger), (.scream, .surprise),
                (.disappointed, .sadness),
            ] {
                #expect(try #require(found[emoji]) <= (try #require(found[emotion])), "\(emoji.rawValue)")
            }
        }
    }

    @Test("Evidence of an emotion raises its score, and experimental emojis name no face")
    func evidenceRaises() throws {
        let face = try #require(golden.cases.first)
        let coordinates = FaceMesh(coordinates: face.mesh.flatMap(\.self))
        let emotions = model.emotionNetwork.emotions.compactMap(Metric.init(rawValue:))
        try #require(emotions.count == 7)
        for metric in emotions {
            let (without, with) = (-4.0, 4.0)
            let low = model.measure(coordinates, pose: Self.ahead, evidence: evidence([metric.rawValue: without]))
            let high = model.measure(coordinates, pose: Self.ahead, evidence: evidence([metric.rawValue: with]))
            #expect(try #require(high[metric]) > (try #require(low[metric])), "\(metric)")
            for other in emotions where other != metric { #expect(high[other] == low[other]) }
        }
        var flushed = measure(face)
        flushed[.flushed] = 100
        #expect(flushed.dominantEmoji(among: [.flushed]) == nil)
        #expect(Metric.namedEmojis.contains(.smiley) && !Metric.namedEmojis.contains(.flushed))
        #expect(Metric.namedEmotions.allSatisfy { $0.status != .experimental })
    }

    @Test("Rotating the image changes no score", arguments: [45.0, 90, 180, -120])
    func rotation(degrees: Double) throws {
        let coordinates = golden.cases[0].mesh.flatMap(\.self)
        let (sine, cosine) = (sin(degrees * .pi / 180), cos(degrees * .pi / 180))
        var turned = coordinates
        for point in 0..<FaceMesh.pointCount {
            let (x, y) = (Double(coordinates[3 * point]), Double(coordinates[3 * point + 1]))
            turned[3 * point] = Float(cosine * x - sine * y)
            turned[3 * point + 1] = Float(sine * x + cosine * y)
        }
        let straight = model.measure(FaceMesh(coordinates: coordinates), pose: Self.ahead, evidence: [])
        let other = model.measure(FaceMesh(coordinates: turned), pose: Self.ahead, evidence: [])
        // The scores are not exactly equal, because the rotated coordinates are in single precision.
        try Self.expectEqualScores(straight, other)
    }

    @Test("Moving and scaling the face changes no score")
    func scale() throws {
        let coordinates = golden.cases[1].mesh.flatMap(\.self)
        var moved = coordinates
        for index in moved.indices { moved[index] = moved[index] * 3.5 + (index % 3 == 2 ? 0 : 400) }
        let first = model.measure(FaceMesh(coordinates: coordinates), pose: Self.ahead, evidence: [])
        let second = model.measure(FaceMesh(coordinates: moved), pose: Self.ahead, evidence: [])
        try Self.expectEqualScores(first, second)
    }

    @Test("A tongue, which the mesh does not show, has no score")
    func tongue() throws {
        try #require(golden.cases.count >= 20)
        for golden in golden.cases {
            let found = measure(golden)
            #expect(found[.stuckOutTongue] == nil)
            #expect(found[.stuckOutTongueWinkingEye] == nil)
        }
    }

    @Test("Scores that compare the halves of a face are blank if the head is turned")
    func turnedHead() {
        let mesh = FaceMesh(coordinates: golden.cases[0].mesh.flatMap(\.self))
        let turned = model.measure(mesh, pose: HeadPose(yaw: 33, pitch: 0, roll: 0), evidence: [])
        #expect(turned[.wink] == nil)
        #expect(turned[.contempt] == nil)
        #expect(turned[.smile] != nil)
    }

    @Test("Of a head that is turned far, the near eye alone is measured, as if the head were not turned")
    func nearEye() {
        let mesh = FaceMesh(coordinates: golden.cases[0].mesh.flatMap(\.self))
        let pose = HeadPose(yaw: 47, pitch: 0, roll: 0)
        let whole = model.measure(mesh, pose: pose, evidence: [])
        let turned = model.measure(mesh, pose: pose, part: .oneEye(.right), evidence: [])
        #expect(Metric.allCases.filter { turned[$0] != nil } == [.rightEyeOpenness, .rightEyeClosed])
        #expect(turned[.rightEyeOpenness] == whole[.rightEyeOpenness])
        #expect(turned[.rightEyeClosed] == whole[.rightEyeClosed])
        #expect(turned.blendshapes.isEmpty)
        #expect(turned.dominantEmoji(among: Set(Metric.allCases)) == nil)
    }

    @Test("How much of a face can be measured depends on its turn and size")
    func measurablePart() {
        let mesh = FaceMesh(coordinates: golden.cases[0].mesh.flatMap(\.self))
        func part(
            yaw: Double, pitch: Double = 0, eyePixels: Double = 100, presence: Double = 1
        ) -> MeasurableFace? {
            let width = mesh.distance(MeshPoint.rightEyeOuter, MeshPoint.leftEyeOuter)
            let scaled = mesh.coordinates.map { $0 * Float(eyePixels / width) }
            return MeasurableFace(
                mesh: FaceMesh(coordinates: scaled), pose: HeadPose(yaw: yaw, pitch: pitch, roll: 0),
                presence: presence)
        }
        #expect(part(yaw: 0) == .whole)
        #expect(part(yaw: -40) == .whole)
        #expect(part(yaw: 40.5) == .oneEye(.right))
        #expect(part(yaw: -54) == .oneEye(.left))
        #expect(part(yaw: 56) == nil)
        #expect(part(yaw: 47, pitch: 31) == nil)
        #expect(part(yaw: 0, eyePixels: 30) == .whole)
        #expect(part(yaw: 47, eyePixels: 60) == nil)
        #expect(part(yaw: 0, presence: 0.8) == .whole)
        #expect(part(yaw: 47, presence: 0.8) == nil)
        #expect(part(yaw: 0, eyePixels: 15) == nil)
    }

    @Test("has_smile is 1 above the threshold of the events, which may be another than the default")
    func hasSmile() throws {
        for golden in golden.cases {
            let mesh = FaceMesh(coordinates: golden.mesh.flatMap(\.self))
            let face = model.measure(mesh, pose: Self.ahead, evidence: [])
            let smile = try #require(face[.smile])
            #expect(face[.hasSmile] == (smile > EventOptions().smileStartsAbove ? 1 : 0))
            for threshold in [smile - 0.5, smile + 0.5] {
                let other = model.measure(mesh, pose: Self.ahead, evidence: [], smileThreshold: threshold)
                #expect(other[.hasSmile] == (smile > threshold ? 1 : 0))
            }
        }
    }

    @Test("Truncated weights are refused, and the error names what is missing")
    func truncated() throws {
        let resources = Self.root.appendingPathComponent("Sources/VidscanFaces/Resources")
        let description = try Data(contentsOf: resources.appendingPathComponent("expressions.json"))
        let weights = try Data(contentsOf: resources.appendingPathComponent("expressions.weights")).dropLast(400)
        let error = try #require(throws: ExpressionModelError.self) {
            _ = try ExpressionModel(description: description, weights: Data(weights))
        }
        #expect(error.reason.contains("expressions.weights does not contain"))
    }

    private func measure(_ golden: Golden.Case) -> FaceExpressions {
        model.measure(
            FaceMesh(coordinates: golden.mesh.flatMap(\.self)), pose: Self.ahead,
            evidence: evidence(golden.evidence))
    }

    private func evidence(_ values: [String: Double]) -> [Double] {
        model.emotionNetwork.emotions.map { values[$0] ?? 0 }
    }

    private static func expectEqualScores(
        _ expected: FaceExpressions, _ found: FaceExpressions, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let metrics = Metric.allCases.filter { !$0.isFlag && expected[$0] != nil }
        try #require(metrics.count >= 40, sourceLocation: sourceLocation)
        for metric in metrics {
            let (one, other) = (expected[metric] ?? .nan, found[metric] ?? .nan)
            #expect(abs(one - other) < 0.05, "\(metric.rawValue)", sourceLocation: sourceLocation)
        }
    }

    private static let ahead = HeadPose(yaw: 0, pitch: 0, roll: 0)
}
