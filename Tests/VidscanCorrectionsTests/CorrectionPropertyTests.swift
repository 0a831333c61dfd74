import Foundation
import TestSupport
import Testing
import VidscanBase
import VidscanCorrections

@Suite("Whatever is corrected, the tables keep their rules")
struct CorrectionPropertyTests {
    /// A correction of the tables as they are now, which may not fit.
    private static func correction(
        _ sample: CorrectedSample, _ generator: inout SeededGenerator
    ) throws -> String {
        let table = try sample.table("faces.csv")
        func row(_ generator: inout SeededGenerator) -> Int { table.rows.indices.randomElement(using: &generator) ?? 0 }
        let one = row(&generator)
        let face = try CorrectedSample.face(table, one)
        let time = Double(Int.random(in: 0...20_000, using: &generator)) / 1000
        switch Int.random(in: 0...7, using: &generator) {
        case 0:
            return #"{"do": "same_person", "faces": [\#(face), \#(try CorrectedSample.face(table, row(&generator)))]}"#
        case 1, 2:
            // Later than the face, in sight or not.
            let later = (try table.number("time", one) ?? 0) + Double(Int.random(in: 0...40, using: &generator)) * 0.08
            return #"{"do": "split", "face": \#(face), "time": \#(later)}"#
        case 3: return #"{"do": "name", "face": \#(face), "name": "P0\#(Int.random(in: 1...9, using: &generator))"}"#
        case 4: return #"{"do": "not_a_face", "face": \#(face)}"#
        case 5, 6:
            let length = Double(Int.random(in: 0...2000, using: &generator)) / 1000
            return #"{"do": "exclude", "from": \#(time), "to": \#(time + length)}"#
        default: return #"{"do": "note", "time": \#(time), "text": "n\#(time)", "face": \#(face)}"#
        }
    }

    @Test("A result that nobody corrected keeps the rules, and no correction changes a byte of its tables")
    func nothing() async throws {
        let sample = try CorrectedSample()
        try TableInvariants(sample).check()
        let before = try sample.files()
        try await sample.apply([])
        let after = try sample.files()
        for (name, bytes) in before where name != "run.json" {
            #expect(after[name] == bytes, "\(name)")
            #expect(after["original/\(name)"] == bytes, "\(name)")
        }
        #expect(after["original/run.json"] == before["run.json"])
    }

    @Test("Applying twice is applying once, and undo gives back the bytes", arguments: 0..<8)
    func rules(seed: Int) async throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let sample = try CorrectedSample()
        let before = try sample.files()
        var accepted: [String] = []
        for _ in 0..<Int.random(in: 3...20, using: &generator) {
            let candidate = try Self.correction(sample, &generator)
            do {
                try await sample.apply(accepted + [candidate], isDryRun: true)
                accepted.append(candidate)
            } catch let error as VidscanError {
                let isNamed = error.reason.contains("correction \(accepted.count + 1) (")
                #expect(isNamed || error.reason.contains("both have the name"), "\(error)")
            }
        }
        try #require(!accepted.isEmpty)
        try await sample.apply(accepted)
        try TableInvariants(sample).check()
        let corrected = try sample.files()
        #expect(
            corrected.keys.sorted()
                == (before.keys + before.keys.map { "original/" + $0 } + ["original/corrections.json"]).sorted())
        for (name, bytes) in before {
            #expect(corrected["original/" + name] == bytes)
            let header = { (data: Data) in data.prefix { $0 != 0x0A } }
            if name.hasSuffix(".csv") { #expect(header(corrected[name] ?? Data()) == header(bytes)) }
        }
        #expect(try await sample.apply(accepted).effects.count == accepted.count)
        #expect(try sample.files() == corrected)
        // Corrections of the whole file replace those of a part of it.
        try await sample.apply(Array(accepted.prefix(1)))
        try await sample.apply(accepted)
        #expect(try sample.files() == corrected)
        _ = try await CorrectedSample.corrector().undo(sample.result)
        #expect(try sample.files() == before)
    }
}
