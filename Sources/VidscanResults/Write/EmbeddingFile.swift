package import VidscanBase
internal import VidscanFaces

/// `embeddings.npy`: embeddings of the people in a video, as a NumPy array of records (format 1.0).
///
/// A record has 532 bytes, little-endian and without padding: `person_id` and `face_id` as 32-bit integers, `time` as a
/// 64-bit float, `weight` and the 128 values of `embedding` as 32-bit floats. The file is written only on request,
/// because embeddings are biometric data.
package final class EmbeddingFile {
    package static let name = "embeddings.npy"
    private static let header = NumPyHeader(
        elementType: "[('person_id', '<i4'), ('face_id', '<i4'), ('time', '<f8'), ('weight', '<f4'),"
            + " ('embedding', '<f4', (\(FaceEmbedding.length),))]",
        rowShape: [], length: 192)

    private let file: OutputFile
    private var rows = 0

    /// - Parameter folder: The folder of the unfinished result.
    package init(folder: String) throws(VidscanError) {
        file = try OutputFile(path: folder + "/" + Self.name)
        Self.header.write(rows: 0, to: &file.buffer)
    }

    /// - Parameter row: The next row. Rows are in the order of `person_id`, `face_id` and `time`.
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
        var header = ByteWriter(reservingCapacity: Self.header.length)
        Self.header.write(rows: rows, to: &header)
        try file.finish(replacingStart: header.bytes)
    }
}

extension ByteWriter {
    fileprivate mutating func write(littleEndian value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.littleEndian) { write(bytes: $0) }
    }
}
