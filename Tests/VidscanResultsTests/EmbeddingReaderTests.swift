import Foundation
import Testing
import TestSupport
import VidscanBase
import VidscanFaces
import VidscanResults

@Suite("Embeddings are read strictly")
struct EmbeddingReaderTests {
    private static let tracks = [
        SyntheticResult.Track(
            face: 3, person: 1, seconds: 2...9,
            embeddings: [vector([0: 0.8, 1: 0.6]), vector([255: -1])]),
        SyntheticResult.Track(face: 2, person: 4, embeddings: [vector([7: 1])]),
    ]

    private static func vector(_ coordinates: [Int: Float]) -> [Float] { (0..<256).map { coordinates[$0] ?? 0 } }

    private static func read(_ bytes: Data) throws -> [EmbeddingRow] {
        let folder = try TemporaryFolder()
        try bytes.write(to: URL(fileURLWithPath: folder.path + "/embeddings.npy"))
        let reader = try EmbeddingReader(folder: folder.path)
        var rows: [EmbeddingRow] = []
        while let row = try reader.next() { rows.append(row) }
        return rows
    }

    private static func reason(_ bytes: Data) -> String {
        do {
            return "\(try read(bytes).count) rows"
        } catch let error as VidscanError {
            return error.reason
        } catch {
            return "\(error)"
        }
    }

    @Test("Each row has the numbers of the file")
    func rows() throws {
        let rows = try Self.read(SyntheticResult.embeddings(Self.tracks))
        #expect(rows.map(\.personID) == [1, 1, 4])
        #expect(rows.map(\.faceID) == [3, 3, 2])
        #expect(rows.map(\.seconds) == [2, 2.1, 0])
        #expect(rows.map(\.weight) == [1, 0.5, 1])
        #expect(rows[0].embedding.values[0] == 0.8)
        #expect(rows[1].embedding.values[255] == -1)
        #expect(rows[2].embedding.values.reduce(0, +) == 1)
    }

    @Test("A file without rows is no error")
    func empty() throws {
        #expect(try Self.read(SyntheticResult.header(rows: 0)).isEmpty)
    }

    @Test("Another type, size or order is refused with one line")
    func refused() throws {
        let good = SyntheticResult.embeddings(Self.tracks)
        let start = good.count - 3 * 1044
        /// Replaces bytes of the file.
        func with(_ value: some FixedWidthInteger, at offset: Int) -> Data {
            var bytes = good
            withUnsafeBytes(of: value.littleEndian) {
                bytes.replaceSubrange(start + offset..<start + offset + $0.count, with: $0)
            }
            return bytes
        }
        let body = good.suffix(3 * 1044)
        let type = SyntheticResult.embeddingType
        let cases: [(Data, String)] = [
            (Data(), "is not a NumPy file"),
            (Data("hello".utf8), "is truncated"),
            (good.dropLast(), "does not have the size of 3 rows"),
            (good + Data([0]), "does not have the size of 3 rows"),
            (SyntheticResult.header(rows: 4) + body, "does not have the size of 4 rows"),
            (SyntheticResult.header(rows: 999_999_999) + body, "has more than"),
            (
                SyntheticResult.header(rows: 3, type: type.replacing("<f8", with: "<f4")) + body,
                "its header does not describe face embeddings"
            ),
            (
                SyntheticResult.header(rows: 3, type: type.replacing("<i4", with: ">i4")) + body,
                "its header does not describe face embeddings"
            ),
            (
                SyntheticResult.header(rows: 3, type: type.replacing("256", with: "512")) + body,
                "its header does not describe face embeddings"
            ),
            (
                SyntheticResult.header(rows: 3, type: "__import__('os')") + body,
                "its header does not describe face embeddings"
            ),
            (with(Int32(0), at: 0), "row 1 has an id below 1"),
            (with(Int32(-5), at: 4), "row 1 has an id below 1"),
            (with(Double.nan.bitPattern, at: 8), "row 1 has the invalid time nan"),
            (with((1e300).bitPattern, at: 1044 + 8), "row 2 has the invalid time 1e+300"),
            (with(Float(-1).bitPattern, at: 16), "row 1 has the invalid weight -1.0"),
            (with(Float.infinity.bitPattern, at: 16), "row 1 has the invalid weight inf"),
            (with(Float.nan.bitPattern, at: 20), "row 1 has an embedding with invalid numbers"),
            (with(Float(1e20).bitPattern, at: 1040), "row 1 has an embedding with invalid numbers"),
            (with(Int32(5), at: 0), "row 2 is out of order"),
            (with((2.0).bitPattern, at: 1044 + 8), "row 2 is out of order"),
        ]
        for (bytes, reason) in cases {
            let found = Self.reason(bytes)
            #expect(found.hasPrefix("embeddings.npy, byte "), "\(found)")
            #expect(found.contains(reason), "\(found)")
            #expect(!found.contains("\n"))
        }
    }

    @Test("Random damage gives rows or an error")
    func damage() throws {
        let good = SyntheticResult.embeddings(Self.tracks)
        var generator = SeededGenerator(seed: 4)
        var refused = 0
        for _ in 0..<500 {
            let reason = Self.reason(Damage.strike(good, with: &generator))
            if reason.hasPrefix("embeddings.npy, byte ") { refused += 1 } else { #expect(reason == "3 rows") }
        }
        #expect(refused > 100)
    }
}
