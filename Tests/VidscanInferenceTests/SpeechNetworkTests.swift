import Foundation
import TestSupport
import Testing
import VidscanInference

/// The expected values come from a plain computation, layer by layer, in `scripts/speech/reference.py`.
@Suite("Who speaks: the networks")
struct SpeechNetworkTests {
    private struct Golden: Decodable {
        var features: [[Float]]
        var speaking: [Float]
        var moving: [Float]
    }

    private static let count = 11
    private static let side = SpeakerDetector.resolution

    private static let pictures: [UInt8] = {
        let noise = LinearCongruence.bytes(count * side * side)
        return (0..<count * side * side).map { index in
            let (t, y, x) = (index / (side * side), index / side % side, index % side)
            return UInt8((x * (t + 3) + y * (2 * t + 1)) % 200) + noise[index] / 8
        }
    }()

    private static func detector() throws -> SpeakerDetector {
        try SpeakerDetector(
            runtime: InferenceRuntime(), pictures: Checkout.models + "/speaker_picture.xml",
            scores: Checkout.models + "/speaker_scores.xml", concurrency: 1)
    }

    private static func features(_ session: SpeakerDetector.PictureSession, first: Int) throws -> [Float] {
        var run = SpeakerDetector.PictureRun()
        let area = side * side
        var found: [Float] = []
        let size = SpeakerDetector.step
        for start in stride(from: 0, to: first, by: size) {
            let part = Array(pictures[start * area..<min(first, start + size) * area])
            // A run may also end with nothing, after a whole step.
            found += try session.add(part, isLast: start + size > first, to: &run)
        }
        if first % size == 0 { found += try session.add([], isLast: true, to: &run) }
        return found
    }

    @Test("Features, in steps, and scores equal those of a plain computation")
    func golden() throws {
        let file = URL(fileURLWithPath: Checkout.root + "/Tests/VidscanInferenceTests/speaker.golden.json")
        let golden = try JSONDecoder().decode(Golden.self, from: Data(contentsOf: file))
        let detector = try Self.detector()
        let features = try Self.features(detector.makePictureSession(), first: Self.count)
        try #require(features.count == Self.count * SpeakerDetector.featureCount)
        // What a step hands to the next one has 16 bits.
        for (found, expected) in zip(features, golden.features.joined()) { #expect(abs(found - expected) < 1e-3) }
        let cepstra = LinearCongruence.bytes(Self.count * 52).map { Float($0) / 8 - 16 }
        let (speaking, moving) = try detector.makeScoreSession().scores(features: features, cepstra: cepstra)
        try #require(speaking.count == Self.count && moving.count == Self.count)
        for (found, expected) in zip(speaking, golden.speaking) { #expect(abs(found - expected) < 1e-4) }
        for (found, expected) in zip(moving, golden.moving) { #expect(abs(found - expected) < 1e-4) }
    }

    @Test("A run of any length has one feature per picture", arguments: [1, 3, 4, 5, 7, 8, 9, 10, 11])
    func lengths(count: Int) throws {
        let session = try Self.detector().makePictureSession()
        let features = try Self.features(session, first: count)
        #expect(features.count == count * SpeakerDetector.featureCount)
        #expect(features.contains { $0 > 0.1 })
    }

    private static func voiceDetector() throws -> VoiceDetector {
        try VoiceDetector(runtime: InferenceRuntime(), path: Checkout.models + "/voice.xml")
    }

    /// Silence, three syllables that go from one vowel to another, and silence, in two seconds.
    private static let syllables: [Int16] = (0..<32000).map { index in
        let time = Double(index) / 16000
        guard 0.5..<1.5 ~= time else { return 0 }
        let first = (1 + sin(6 * .pi * time)) / 2
        let pitch = 2 * .pi * 130 * time - 40 / 3 * cos(3 * .pi * time)
        let sound = (1..<30).reduce(0.0) { sum, number in
            let strengths = [[700.0, 1200, 2600], [300, 2300, 3000]].map { formants in
                formants.reduce(0.0) { $0 + exp(-pow((130 * Double(number) - $1) / 200, 2)) }
            }
            return sum + (strengths[0] * first + strengths[1] * (1 - first) + 0.05) * sin(Double(number) * pitch)
        }
        return Int16((sound * 4000 * max(0, sin(6 * .pi * time + 1)).squareRoot()).rounded(.toNearestOrEven))
    }

    @Test("The probabilities of a voice equal those of a plain computation")
    func voice() throws {
        let file = URL(fileURLWithPath: Checkout.root + "/Tests/VidscanInferenceTests/voice.golden.json")
        let expected = try JSONDecoder().decode([Float].self, from: Data(contentsOf: file))
        var detector = try Self.voiceDetector()
        let found = try detector.add(Self.syllables)
        try #require(found.count == expected.count)
        for (found, expected) in zip(found, expected) { #expect(abs(found - expected) < 1e-3) }
    }

    @Test("The voice detector hears nothing in silence and noise, in parts of any size")
    func silence() throws {
        let noise = LinearCongruence.bytes(16000).map { (Int16($0) - 128) * 4 }
        func probabilities(partSize: Int) throws -> [Float] {
            var detector = try Self.voiceDetector()
            let sound = [Int16](repeating: 0, count: 16000) + noise
            return try stride(from: 0, to: sound.count, by: partSize).flatMap {
                try detector.add(sound[$0..<min(sound.count, $0 + partSize)])
            }
        }
        let whole = try probabilities(partSize: 32000)
        #expect(whole.count == 32000 / VoiceDetector.chunk)
        #expect(whole.allSatisfy { $0 < 0.3 })
        #expect(try probabilities(partSize: 333) == whole)
    }
}
