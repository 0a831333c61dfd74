import Foundation
import TestSupport
import Testing
import VidscanFaces

/// The expected values come from python_speech_features, with `scripts/speech/reference.py`.
@Suite("Cepstra equal those of python_speech_features")
struct MelCepstraTests {
    private struct Golden: Decodable { var rows: [[Float]] }

    /// A second of a rising tone, silence, and noise.
    private static let sound: [Int16] = {
        var samples = (0..<16000).map { index in
            let time = Double(index) / 16000
            return Int16((8000 * sin(2 * .pi * (200 + 1500 * time) * time)).rounded())
        }
        for index in 6000..<9000 { samples[index] = 0 }
        for (index, byte) in LinearCongruence.bytes(4000).enumerated() {
            samples[12000 + index] = (Int16(byte) - 128) * 60
        }
        return samples
    }()

    @Test("A tone, silence and noise", arguments: [16000, 1, 160, 401])
    func golden(partSize: Int) throws {
        let file = URL(fileURLWithPath: Checkout.root + "/Tests/VidscanFacesTests/cepstra.golden.json")
        let golden = try JSONDecoder().decode(Golden.self, from: Data(contentsOf: file)).rows
        var cepstra = MelCepstra()
        for start in stride(from: 0, to: 16000, by: partSize) {
            cepstra.add(Self.sound[start..<min(16000, start + partSize)])
        }
        try #require(golden.count == 98)
        try #require(cepstra.values.count == 98 * MelCepstra.count)
        for (found, expected) in zip(cepstra.values, golden.joined()) { #expect(abs(found - expected) < 0.002) }
    }
}
