package import VidscanBase
internal import VidscanFaces

/// Reads `embeddings.npy`: a NumPy array (format 1.0) of records with 532 bytes, which are little-endian and have no
/// padding: `person_id` and `face_id` (int32), `time` (float64), `weight` (float32) and `embedding` (128 × float32).
package final class EmbeddingReader {
    private static let rowBytes = 4 + 4 + 8 + 4 + 4 * FaceEmbedding.length
    /// The header of an array with a billion rows is shorter.
    private static let maximumHeader = 1024

    private let input: IntermediateInput
    private let rows: Int
    private var row = 0
    private var previous = (person: 0, face: 0, seconds: -Double.infinity)

    /// - Throws: `VidscanError` if the file is not one that a run writes, or if its size contradicts its header.
    package init(folder: String) throws(VidscanError) {
        input = try IntermediateInput(folder: folder, name: EmbeddingFile.name)
        guard let start = try input.take(10), Array(start.prefix(8)) == [0x93] + Array("NUMPY".utf8) + [1, 0] else {
            throw input.problem("is not a NumPy file of format 1.0", at: 0)
        }
        let length = Int(start[start.startIndex + 8]) | Int(start[start.startIndex + 9]) << 8
        guard length <= Self.maximumHeader, (10 + length).isMultiple(of: 64), let header = try input.take(length),
            let rows = Self.rows(String(decoding: header, as: UTF8.self))
        else { throw input.problem("its header does not describe face embeddings", at: 10) }
        guard rows <= ReadLimits.embeddings else {
            throw input.problem("has more than \(ReadLimits.embeddings) rows", at: 10)
        }
        self.rows = rows
        guard input.size == Int64(10 + length + rows * Self.rowBytes) else {
            throw input.problem("does not have the size of \(rows) rows", at: 10)
        }
    }

    /// - Returns: The number of rows in a header; `nil` if no run writes such a header.
    private static func rows(_ header: String) -> Int? {
        let type =
            "[('person_id', '<i4'), ('face_id', '<i4'), ('time', '<f8'), ('weight', '<f4'), ('embedding', '<f4', (128,))]"
        let shape = /\{'descr': (\[.+\]), 'fortran_order': False, 'shape': \((\d{1,9}),\), \} *\n/
        guard let match = header.wholeMatch(of: shape), match.1 == type else { return nil }
        return Int(match.2)
    }

    /// Returns the next row; `nil` at the end.
    ///
    /// - Throws: `VidscanError` for a number that cannot be true, or a row that is not in the order of `person_id`,
    ///   `face_id` and `time`.
    package func next() throws(VidscanError) -> EmbeddingRow? {
        let start = input.offset
        guard row < rows, let bytes = try input.take(Self.rowBytes) else { return nil }
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
