package import VidscanBase
internal import VidscanFaces

/// `embeddings.npy`: embeddings of the people in a video, as a NumPy array of records (format 1.0).
///
/// A record has 1044 bytes, little-endian without padding: `person_id` and `face_id` (int32), `time` (float64), `weight`
/// (float32) and `embedding` (256 × float32). Written only on request because embeddings are biometric data.
package final class EmbeddingFile {
    package static let name = "embeddings.npy"
    static let header = header(numbers: FaceEmbedding.length)
    /// Of the model before this one.
    static let formerHeader = header(numbers: 128)

    private static func header(numbers: Int) -> NumPyHeader {
        NumPyHeader(
            contents: "face embeddings",
            elementType: "[('person_id', '<i4'), ('face_id', '<i4'), ('time', '<f8'), ('weight', '<f4'),"
                + " ('embedding', '<f4', (\(numbers),))]",
            rowBytes: 4 + 4 + 8 + 4 + 4 * numbers, length: 192)
    }

    private let file: OutputFile
    private var rows = 0

    package init(folder: String) throws(VidscanError) {
        file = try OutputFile(path: folder + "/" + Self.name)
        Self.header.bytes(rows: 0).withUnsafeBytes { file.buffer.write(bytes: $0) }
    }

    /// Rows must be in the order of `person_id`, `face_id` and `time`.
    package func append(_ row: EmbeddingRow) throws(VidscanError) {
        rows += 1
        file.buffer.write(littleEndian: Int32(clamping: row.personID))
        file.buffer.write(littleEndian: Int32(clamping: row.faceID))
        file.buffer.write(littleEndian: row.seconds.bitPattern)
        file.buffer.write(littleEndian: row.weight.bitPattern)
        for value in row.embedding.values { file.buffer.write(littleEndian: value.bitPattern) }
        try file.drain()
    }

    package func finish() throws(VidscanError) {
        try file.finish(replacingStart: Self.header.bytes(rows: rows))
    }
}

extension ByteWriter {
    fileprivate mutating func write(littleEndian value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.littleEndian) { write(bytes: $0) }
    }
}
