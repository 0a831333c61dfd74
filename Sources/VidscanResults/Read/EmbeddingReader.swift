package import VidscanBase
internal import VidscanFaces

/// Reads `embeddings.npy`; see `EmbeddingFile` for the format.
package final class EmbeddingReader {
    private let input: BinaryFile
    private let rows: Int
    private var row = 0
    private var previous = (person: 0, face: 0, seconds: -Double.infinity)

    /// Throws if no run writes such a file, or if its size contradicts its header.
    package init(folder: String) throws(VidscanError) {
        input = try BinaryFile(folder: folder, name: EmbeddingFile.name)
        do throws(VidscanError) {
            rows = try EmbeddingFile.header.rows(in: input, maximum: ReadLimits.embeddings)
        } catch {
            let former = try BinaryFile(folder: folder, name: EmbeddingFile.name)
            guard (try? EmbeddingFile.formerHeader.rows(in: former)) != nil else { throw error }
            throw .result(
                "\(EmbeddingFile.name) was made by an earlier version with another face model; analyse the video again with"
                    + " 'vidscan analyze --people'")
        }
    }

    /// Returns `nil` at the end. Throws for an impossible number or a row out of order.
    package func next() throws(VidscanError) -> EmbeddingRow? {
        let start = input.offset
        guard row < rows, let bytes = try input.take(EmbeddingFile.header.rowBytes) else { return nil }
        row += 1
        let value = bytes.withUnsafeBytes { bytes in
            func float(_ offset: Int) -> Float {
                Float(bitPattern: UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
            }
            func integer(_ offset: Int) -> Int {
                Int(Int32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self)))
            }
            let time = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            return EmbeddingRow(
                personID: integer(0), faceID: integer(4), seconds: Double(bitPattern: time), weight: float(16),
                embedding: FaceEmbedding(values: (0..<FaceEmbedding.length).map { float(20 + 4 * $0) }))
        }
        guard ReadLimits.ids.contains(value.personID), ReadLimits.ids.contains(value.faceID) else {
            throw input.problem("row \(row) has an id below 1", at: start)
        }
        // NaN is in no range.
        guard ReadLimits.seconds.contains(value.seconds) else {
            throw input.problem("row \(row) has the invalid time \(value.seconds)", at: start + 8)
        }
        guard ReadLimits.weight.contains(value.weight) else {
            throw input.problem("row \(row) has the invalid weight \(value.weight)", at: start + 16)
        }
        guard value.embedding.values.allSatisfy(ReadLimits.embedding.contains) else {
            throw input.problem("row \(row) has an embedding with invalid numbers", at: start + 20)
        }
        let position = (person: value.personID, face: value.faceID, seconds: value.seconds)
        guard previous < position else { throw input.problem("row \(row) is out of order", at: start) }
        previous = position
        return value
    }
}
