package import VidscanBase
package import VidscanFaces

/// Reads `landmarks.npy`: a mesh, or none, for each row of `faces.csv`, in the same order.
package final class LandmarkReader {
    private let input: BinaryFile
    private let rows: Int
    private var row = 0

    /// Throws if no run writes such a file, or if its size contradicts its header.
    package init(folder: String) throws(VidscanError) {
        input = try BinaryFile(folder: folder, name: LandmarkFile.name)
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
