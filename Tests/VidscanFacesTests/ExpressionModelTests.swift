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
            try #require(found.emotions.count == 8 && pattern.expected.count == 10)
            for (name, value) in zip(model.emotionNetwork.emotions, found.emotions) {
                #expect(abs(value - (try #require(pattern.expected[name]))) < 1e-3, "\(name)")
            }
            for (name, value) in [("mouth_covered", found.mouthCovered), ("eyes_covered", found.eyesCovered)] {
                #expect(abs(value - (try #require(pattern.expected[name]))) < 2e-2, "\(name)")
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
            // Joy in the pixels makes the mouth's shape more of a smile, and the brows less of a frown.
            for other in [Metric.anger, .disgust, .sadness] where metric == .joy {
                #expect(try #require(high[other]) < (try #require(low[other])), "\(other)")
            }
            let expression: Metric? =
                switch metric {
                case .anger, .disgust: .browFurrow
                case .contempt: .dimpler
                case .sadness: .lipCornerDepressor
                default: nil
                }
            if let expression { #expect(try #require(high[expression]) > (try #require(low[expression]))) }
        }
        #expect(Metric.dominantEmoji(among: [.flushed]) { _ in 100 } == nil)
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
        let straight = model.measure(FaceMesh(coordinates: coordinates), pose: Self.ahead, evidence: nil)
        let other = model.measure(FaceMesh(coordinates: turned), pose: Self.ahead, evidence: nil)
        // The scores are not exactly equal, because the rotated coordinates are in single precision.
        try Self.expectEqualScores(straight, other)
    }

    @Test("Moving and scaling the face changes no score")
    func scale() throws {
        let coordinates = golden.cases[1].mesh.flatMap(\.self)
        var moved = coordinates
        for index in moved.indices { moved[index] = moved[index] * 3.5 + (index % 3 == 2 ? 0 : 400) }
        let first = model.measure(FaceMesh(coordinates: coordinates), pose: Self.ahead, evidence: nil)
        let second = model.measure(FaceMesh(coordinates: moved), pose: Self.ahead, evidence: nil)
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
        let turned = model.measure(mesh, pose: HeadPose(yaw: 33, pitch: 0, roll: 0), evidence: nil)
        #expect(turned[.wink] == nil)
        #expect(turned[.contempt] == nil)
        #expect(turned[.smile] != nil)
    }

    @Test("Of a head that is turned far, the near side is measured, as if the head were not turned")
    func nearSide() throws {
        let mesh = scaled(eyePixels: 100)
        let pose = HeadPose(yaw: 47, pitch: 0, roll: 0)
        let whole = model.measure(mesh, pose: pose, evidence: nil)
        let turned = model.measure(mesh, pose: pose, side: .right, evidence: nil)
        let measured: Set<Metric> = [
            .rightEyeOpenness, .rightEyeClosed, .hasSmile, .attention, .browFurrow, .browRaise, .cheekRaise,
            .innerBrowRaise, .jawDrop, .mouthOpen, .smile, .au01, .au02, .au04, .au06, .au12, .au25, .au26,
        ]
        #expect(Set(Metric.allCases.filter { turned[$0] != nil }) == measured)
        for metric in measured { #expect(turned[metric] == whole[metric], "\(metric)") }
        #expect(turned.blendshapes.isEmpty)
        #expect(turned.dominantEmoji(among: Set(Metric.allCases)) == nil)
        // In a small face, the eye's openness changes where the eye does not.
        let small = model.measure(scaled(eyePixels: 60), pose: pose, side: .right, evidence: nil)
        let rest = measured.subtracting([.rightEyeOpenness, .rightEyeClosed])
        #expect(Set(Metric.allCases.filter { small[$0] != nil }) == rest)
    }

    @Test("A face that cannot be measured still turns its attention elsewhere")
    func attention() {
        let found = model.measure(
            scaled(eyePixels: 100), pose: HeadPose(yaw: 80, pitch: 0, roll: 0), side: nil, evidence: nil)
        #expect(Metric.allCases.filter { found[$0] != nil } == [.attention])
    }

    @Test("What is covered has no score, and what is not keeps its own")
    func covered() throws {
        let mesh = scaled(eyePixels: 100)
        let bare = PixelEvidence(emotions: [Double](repeating: 0, count: 8), mouthCovered: 49, eyesCovered: 49)
        var (mask, glasses) = (bare, bare)
        (mask.mouthCovered, glasses.eyesCovered) = (50, 50)
        let found = model.measure(mesh, pose: Self.ahead, evidence: bare)
        let masked = model.measure(mesh, pose: Self.ahead, evidence: mask)
        let shaded = model.measure(mesh, pose: Self.ahead, evidence: glasses)
        try #require([Metric.smile, .joy, .gazeYaw, .browRaise, .wink, .au12].allSatisfy { found[$0] != nil })
        for metric in [Metric.smile, .hasSmile, .mouthOpen, .joy, .valence, .laughing, .au12, .au25, .cheekRaise] {
            #expect(masked[metric] == nil, "\(metric)")
        }
        for metric in [Metric.leftEyeOpenness, .gazeYaw, .browRaise, .wink, .au01, .attention] {
            #expect(masked[metric] == found[metric], "\(metric)")
        }
        for metric in [Metric.leftEyeOpenness, .leftEyeClosed, .gazeYaw, .browRaise, .wink, .joy, .au45] {
            #expect(shaded[metric] == nil, "\(metric)")
        }
        for metric in [Metric.smile, .mouthOpen, .au12, .attention] {
            #expect(shaded[metric] == found[metric], "\(metric)")
        }
        // Of a turned head, the far half of the mouth would count as covered.
        let turned = model.measure(
            mesh, pose: HeadPose(yaw: 50, pitch: 0, roll: 0), side: .right, evidence: mask)
        #expect(turned[.smile] != nil && turned.evidence == nil)
        // A small face tells what is covered, but has no scores.
        let small = model.measure(scaled(eyePixels: 15), pose: Self.ahead, side: nil, evidence: mask)
        #expect(small.evidence == mask && small[.smile] == nil)
        let turns = [(yaw: 41.0, pitch: 0.0, evidence: nil), (0, 31, mask), (0, 45, mask)]
        for (yaw, pitch, evidence) in turns {
            let pose = HeadPose(yaw: yaw, pitch: pitch, roll: 0)
            #expect(model.measure(mesh, pose: pose, side: nil, evidence: mask).evidence == evidence)
            #expect(ExpressionLimits.showCovers(of: mesh, pose: pose))
        }
        #expect(!ExpressionLimits.showCovers(of: mesh, pose: HeadPose(yaw: 0, pitch: -46, roll: 0)))
    }

    @Test("The side from which a face is measured depends on its turn and size")
    func side() {
        func side(yaw: Double, pitch: Double = 0, eyePixels: Double = 100, presence: Double = 1) -> MeasuredSide? {
            MeasuredSide(
                mesh: scaled(eyePixels: eyePixels), pose: HeadPose(yaw: yaw, pitch: pitch, roll: 0), presence: presence)
        }
        #expect(side(yaw: 0) == .both)
        #expect(side(yaw: -40) == .both)
        #expect(side(yaw: 40.5) == .right)
        #expect(side(yaw: -59) == .left)
        #expect(side(yaw: 61) == nil)
        #expect(side(yaw: 47, pitch: 31) == nil)
        #expect(side(yaw: 0, eyePixels: 30) == .both)
        #expect(side(yaw: 0, presence: 0.8) == .both)
        #expect(side(yaw: 47, presence: 0.8) == nil)
        #expect(side(yaw: 0, eyePixels: 15) == nil)
    }

    @Test("What a measurement leaves blank has the reason that its limit gives")
    func blankReasons() {
        func check(
            _ reason: BlankReason?, of metrics: [Metric] = Metric.expressive, yaw: Double = 0, pitch: Double = 0,
            eyePixels: Double = 100, presence: Double = 1, covered: (mouth: Double, eyes: Double) = (0, 0),
            sourceLocation: SourceLocation = #_sourceLocation
        ) {
            let (mesh, pose) = (scaled(eyePixels: eyePixels), HeadPose(yaw: yaw, pitch: pitch, roll: 0))
            let side = MeasuredSide(mesh: mesh, pose: pose, presence: presence)
            var evidence = evidence([:])
            (evidence.mouthCovered, evidence.eyesCovered) = covered
            let found = model.measure(mesh, pose: pose, side: side, evidence: side.map { _ in evidence })
            let isBlank = metrics.allSatisfy { found[$0] == nil }
            #expect(isBlank == (reason != nil), sourceLocation: sourceLocation)
            guard isBlank else { return }
            #expect(
                BlankReason(
                    of: metrics, pose: pose, presence: presence, mouthCovered: found.evidence?.mouthCovered,
                    eyesCovered: found.evidence?.eyesCovered) == reason, sourceLocation: sourceLocation)
        }
        check(nil)
        check(nil, yaw: 60)
        check(.turned, yaw: 60.5)
        check(nil, pitch: -30)
        check(.turned, pitch: -30.5)
        check(.turned, yaw: 47, presence: 0.8)
        check(.small, eyePixels: 15)
        check(.turned, yaw: 61, eyePixels: 15)
        check(nil, covered: (90, 0))
        check(.covered, covered: (50, 50))
        check(.covered, of: [.joy, .smile], covered: (90, 0))
        check(nil, of: [.joy, .leftEyeOpenness], covered: (90, 0))
        check(.turned, of: [.joy], yaw: 50)
        check(.turned, of: [.contempt, .smirk], yaw: 26)
        check(.covered, of: [.contempt, .smirk], yaw: 26, covered: (90, 90))
        check(nil, of: [.rightEyeOpenness], yaw: 50)
        check(.turned, of: [.leftEyeOpenness], yaw: 50)
        check(.small, of: [.leftEyeOpenness, .rightEyeOpenness], yaw: 50, eyePixels: 40)
        func withoutMesh(mouth: Double?, eyes: Double?) -> BlankReason {
            BlankReason(of: Metric.expressive, pose: nil, presence: 0.1, mouthCovered: mouth, eyesCovered: eyes)
        }
        #expect(withoutMesh(mouth: nil, eyes: nil) == .noMesh && withoutMesh(mouth: 40, eyes: 4) == .noMesh)
        #expect(withoutMesh(mouth: 99, eyes: 4) == .covered)
    }

    private func scaled(eyePixels: Double) -> FaceMesh {
        let mesh = FaceMesh(coordinates: golden.cases[0].mesh.flatMap(\.self))
        let width = mesh.distance(MeshPoint.rightEyeOuter, MeshPoint.leftEyeOuter)
        return FaceMesh(coordinates: mesh.coordinates.map { $0 * Float(eyePixels / width) })
    }

    @Test("has_smile is 1 above the threshold of the events, which may be another than the default")
    func hasSmile() throws {
        for golden in golden.cases {
            let mesh = FaceMesh(coordinates: golden.mesh.flatMap(\.self))
            let face = model.measure(mesh, pose: Self.ahead, evidence: nil)
            let smile = try #require(face[.smile])
            #expect(face[.hasSmile] == (smile > EventOptions().smileStartsAbove ? 1 : 0))
            for threshold in [smile - 0.5, smile + 0.5] {
                let other = model.measure(mesh, pose: Self.ahead, evidence: nil, smileThreshold: threshold)
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

    private func evidence(_ values: [String: Double]) -> PixelEvidence {
        PixelEvidence(emotions: model.emotionNetwork.emotions.map { values[$0] ?? 0 })
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
