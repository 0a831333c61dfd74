package import VidscanBase
package import VidscanFaces

/// `landmarks.npy`: the mesh of each face row as a NumPy array (format 1.0), float32, of shape (rows, 478, 3).
package final class LandmarkFile {
    package static let name = "landmarks.npy"
    static let header = NumPyHeader(
        contents: "face landmarks", elementType: "'<f4'", rowShape: [FaceMesh.pointCount, 3],
        rowBytes: 4 * 3 * FaceMesh.pointCount, length: 128)

    private let file: OutputFile
    private var rows = 0

    init(folder: String) throws(VidscanError) {
        file = try OutputFile(path: folder + "/" + Self.name)
        try file.write { $0.write(numbers: Self.header.bytes(rows: 0)) }
    }

    func append(_ mesh: FaceMesh?) throws(VidscanError) {
        rows += 1
        let coordinates = mesh?.coordinates ?? [Float](repeating: .nan, count: 3 * FaceMesh.pointCount)
        try file.write { $0.write(numbers: coordinates) }
    }

    func finish() throws(VidscanError) { try file.finish(replacingStart: Self.header.bytes(rows: rows)) }
}

/// A row of `embeddings.npy`: what a face looks like in one sample of its track.
package struct EmbeddingRow: Sendable, Equatable {
    package var personID, faceID: Int
    package var seconds: Double
    /// How well the face can be seen, from 0 up.
    package var weight: Float
    package var embedding: FaceEmbedding

    package init(personID: Int, faceID: Int, seconds: Double, weight: Float, embedding: FaceEmbedding) {
        (self.personID, self.faceID) = (personID, faceID)
        (self.seconds, self.weight, self.embedding) = (seconds, weight, embedding)
    }
}

/// `embeddings.npy`: embeddings of the people in a video, as a NumPy array of records (format 1.0).
///
/// A record has 1044 bytes, little-endian without padding: `person_id` and `face_id` (int32), `time` (float64), `weight`
/// (float32) and `embedding` (256 × float32). Written only on request because embeddings are biometric data.
package struct EmbeddingFile {
    package static let name = "embeddings.npy"
    static let header = NumPyHeader(
        contents: "face embeddings",
        elementType: "[('person_id', '<i4'), ('face_id', '<i4'), ('time', '<f8'), ('weight', '<f4'),"
            + " ('embedding', '<f4', (\(FaceEmbedding.length),))]",
        rowBytes: 4 + 4 + 8 + 4 + 4 * FaceEmbedding.length, length: 192)

    private let file: OutputFile

    package init(folder: String) throws(VidscanError) { file = try OutputFile(path: folder + "/" + Self.name) }

    /// Rows must be in the order of `person_id`, `face_id` and `time`.
    package func finish(_ rows: [EmbeddingRow]) throws(VidscanError) {
        try file.write { $0.write(numbers: Self.header.bytes(rows: rows.count)) }
        for row in rows {
            try file.write {
                $0.write(number: Int32(clamping: row.personID))
                $0.write(number: Int32(clamping: row.faceID))
                $0.write(number: row.seconds)
                $0.write(number: row.weight)
                $0.write(numbers: row.embedding.values)
            }
        }
        try file.finish()
    }
}

/// The header of an array in NumPy's format 1.0 ([NEP 1](https://numpy.org/neps/nep-0001-npy-format.html)): a magic
/// string, the version, the length of the rest (little-endian, 16 bits), and a Python dictionary filled with spaces.
struct NumPyHeader {
    let contents: String
    /// A Python literal.
    let elementType: String
    /// Without the first dimension, the number of rows.
    var rowShape: [Int] = []
    let rowBytes: Int
    /// In bytes: a multiple of 64 with room for any number of rows, which is not known when the header is written.
    let length: Int

    private static let magic: [UInt8] = [0x93] + Array("NUMPY".utf8) + [1, 0]

    private var start: String { "{'descr': \(elementType), 'fortran_order': False, 'shape': (" }

    /// `length` may differ in the file of another program.
    func bytes(rows: Int, length: Int? = nil) -> [UInt8] {
        let rest = (length ?? self.length) - 10
        // A tuple of one element ends in a comma.
        let shape = rowShape.isEmpty ? "\(rows)," : ([rows] + rowShape).map(String.init).joined(separator: ", ")
        let text = start + shape + "), }"
        let spaces = String(repeating: " ", count: max(0, rest - 1 - text.utf8.count))
        return Self.magic + [UInt8(rest & 255), UInt8(rest >> 8)] + Array((text + spaces + "\n").utf8)
    }

    /// Reads the header and returns the number of rows. Throws if no run writes such a file, or if its size is wrong.
    func rows(in input: BinaryFile, maximum: Int = .max) throws(VidscanError) -> Int {
        guard let head = try input.take(10), head.starts(with: Self.magic) else {
            throw input.problem("is not a NumPy file of format 1.0", at: 0)
        }
        let length = 10 + Int(head[head.startIndex + 8]) + Int(head[head.startIndex + 9]) << 8
        let rest = try input.take(length - 10) ?? []
        let digits = rest.dropFirst(start.utf8.count).prefix { (0x30...0x39).contains($0) }
        guard length.isMultiple(of: 64), digits.count <= 15, let rows = Int(String(decoding: digits, as: UTF8.self)),
            Array(head + rest) == bytes(rows: rows, length: length)
        else { throw input.problem("its header does not describe \(contents)", at: 10) }
        try input.require(rows <= maximum, "has more than \(maximum) rows", at: 10)
        let size = Int64(length + rows * rowBytes)
        try input.require(input.size == size, "does not have the size of \(rows) rows", at: 10)
        return rows
    }
}

/// Reads `landmarks.npy`: a mesh, or none, for each row of `faces.csv`, in the same order.
package final class LandmarkReader {
    private let input: BinaryFile
    private let rows: Int
    private var row = 0

    /// Throws if no run writes such a file, or if its size contradicts its header.
    package init(folder: String) throws(VidscanError) {
        input = try BinaryFile(path: "\(folder)/\(LandmarkFile.name)")
        rows = try LandmarkFile.header.rows(in: input)
    }

    /// Returns `nil` for a row of NaN, which stands for a face without a mesh.
    package func next() throws(VidscanError) -> FaceMesh? {
        let start = input.offset
        guard row < rows, let bytes = try input.take(LandmarkFile.header.rowBytes) else {
            throw input.problem("ends before faces.csv", at: start)
        }
        row += 1
        var numbers = NumberReader(input, bytes)
        let coordinates = (0..<3 * FaceMesh.pointCount).map { _ in numbers.next(Float.self) }
        if coordinates.allSatisfy(\.isNaN) { return nil }
        guard let index = coordinates.firstIndex(where: { !ReadLimits.coordinates.contains(Double($0)) }) else {
            return FaceMesh(coordinates: coordinates)
        }
        throw input.problem("row \(row) has the invalid coordinate \(coordinates[index])", at: start + 4 * index)
    }

    /// Throws unless all rows have been read.
    package func finish() throws(VidscanError) {
        try input.require(row == rows, "has \(rows) rows, but faces.csv has \(row)", at: input.offset)
    }
}

/// Reads `embeddings.npy`; see `EmbeddingFile` for the format.
package final class EmbeddingReader {
    private let input: BinaryFile
    private let rows: Int
    private var row = 0
    private var previous = (person: 0, face: 0, seconds: -Double.infinity)

    /// Throws if no run writes such a file, or if its size contradicts its header.
    package init(folder: String) throws(VidscanError) {
        input = try BinaryFile(path: "\(folder)/\(EmbeddingFile.name)")
        rows = try EmbeddingFile.header.rows(in: input, maximum: ReadLimits.embeddings)
    }

    /// Returns `nil` at the end. Throws for an impossible number or a row out of order.
    package func next() throws(VidscanError) -> EmbeddingRow? {
        let start = input.offset
        guard row < rows, let bytes = try input.take(EmbeddingFile.header.rowBytes) else { return nil }
        row += 1
        var numbers = NumberReader(input, bytes)
        let value = EmbeddingRow(
            personID: Int(numbers.next(Int32.self)), faceID: Int(numbers.next(Int32.self)),
            seconds: numbers.next(Double.self), weight: numbers.next(Float.self),
            embedding: FaceEmbedding(values: (0..<FaceEmbedding.length).map { _ in numbers.next(Float.self) }))
        func require(_ holds: Bool, _ reason: String, at byte: Int = 0) throws(VidscanError) {
            try input.require(holds, "row \(row) \(reason)", at: start + byte)
        }
        try require([value.personID, value.faceID].allSatisfy(ReadLimits.ids.contains), "has an id below 1")
        // NaN is in no range.
        try require(ReadLimits.seconds.contains(value.seconds), "has the invalid time \(value.seconds)", at: 8)
        try require(ReadLimits.weight.contains(value.weight), "has the invalid weight \(value.weight)", at: 16)
        try require(
            value.embedding.values.allSatisfy(ReadLimits.embedding.contains), "has an embedding with invalid numbers",
            at: 20)
        let position = (person: value.personID, face: value.faceID, seconds: value.seconds)
        try require(previous < position, "is out of order")
        previous = position
        return value
    }
}
