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
        let coordinates = bytes.withUnsafeBytes { bytes in
            (0..<3 * FaceMesh.pointCount).map { bytes.loadUnaligned(fromByteOffset: 4 * $0, as: Float.self) }
        }
        if coordinates.allSatisfy(\.isNaN) { return nil }
        guard let index = coordinates.firstIndex(where: { !ReadLimits.coordinates.contains(Double($0)) }) else {
            return FaceMesh(coordinates: coordinates)
        }
        throw input.problem("row \(row) has the invalid coordinate \(coordinates[index])", at: start + 4 * index)
    }

    /// Throws unless all rows have been read.
    package func finish() throws(VidscanError) {
        guard row == rows else { throw input.problem("has \(rows) rows, but faces.csv has \(row)", at: input.offset) }
    }
}
