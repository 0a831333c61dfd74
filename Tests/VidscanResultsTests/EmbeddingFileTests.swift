import Foundation
import TestSupport
import Testing
import VidscanFaces
import VidscanResults

@Suite("Embeddings are stored as NumPy stores an array of records")
struct EmbeddingFileTests {
    private func file(_ rows: [EmbeddingRow]) throws -> [UInt8] {
        let folder = try TemporaryFolder()
        try EmbeddingFile(folder: folder.path).finish(rows)
        return [UInt8](try folder.bytes("embeddings.npy"))
    }

    /// Three rows whose values are exact in 32 bits, but for the times.
    private static let rows = [(1, 1, 0.2, 0.25), (1, 3, 33.366667, 1.5), (2, 2, 7200.000001, 0.125)].enumerated().map {
        index, row in
        EmbeddingRow(
            personID: row.0, faceID: row.1, seconds: row.2, weight: Float(row.3),
            embedding: FaceEmbedding(values: (0..<256).map { $0 % 64 == index ? 0.5 : 0 }))
    }

    @Test("The header is the one that NumPy writes", arguments: [0, 3, 10, 1000])
    func header(count: Int) throws {
        // From NumPy 2.4: `numpy.lib.format.write_array_header_1_0`.
        let description =
            "{'descr': [('person_id', '<i4'), ('face_id', '<i4'), ('time', '<f8'), ('weight', '<f4'),"
            + " ('embedding', '<f4', (256,))], 'fortran_order': False, 'shape': (\(count),), }"
        let expected =
            [0x93] + Array("NUMPY".utf8) + [1, 0, 182, 0]
            + Array(description.padding(toLength: 181, withPad: " ", startingAt: 0).utf8) + [0x0A]
        let bytes = try file((0..<count).map { Self.rows[$0 % 3] })
        #expect(Array(bytes.prefix(192)) == expected)
        #expect(bytes.count == 192 + 1044 * count)
    }

    @Test("A file equals the one that NumPy saves, to the byte")
    func equalsNumPy() throws {
        // From `numpy.save` of NumPy 2.4 with the same rows.
        let path = Checkout.root + "/Tests/VidscanResultsTests/embeddings.golden.npy"
        let golden = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        #expect(try file(Self.rows) == golden)
    }

    @Test("The rows are read as they were written")
    func rows() throws {
        let array = try EmbeddingArray(Data(try file(Self.rows)))
        #expect(array.rows.map(\.person) == [1, 1, 2])
        #expect(array.rows.map(\.face) == [1, 3, 2])
        #expect(array.rows.map(\.time) == [0.2, 33.366667, 7200.000001])
        #expect(array.rows.map(\.weight) == [0.25, 1.5, 0.125])
        #expect(array.rows.map(\.values) == Self.rows.map(\.embedding.values))
    }
}
