package import VidscanBase
package import VidscanFaces

/// Reads `landmarks.npy`: a mesh, or none, for each row of `faces.csv`, in the same order.
package final class LandmarkReader {
    private static let rowBytes = 4 * 3 * FaceMesh.pointCount

    private let input: IntermediateInput
    private let rows: Int
    private var row = 0

    /// - Throws: `VidscanError` if the file is not one that a run writes, or if its size contradicts its header.
    package init(folder: String) throws(VidscanError) {
        input = try IntermediateInput(folder: folder, name: LandmarkFile.name)
        guard let start = try input.take(10), Array(start.prefix(8)) == [0x93] + Array("NUMPY".utf8) + [1, 0] else {
            throw input.problem("is not a NumPy file of format 1.0", at: 0)
        }
        let length = Int(start[start.startIndex + 8]) | Int(start[start.startIndex + 9]) << 8
        guard let header = try input.take(length), let rows = Self.rows(String(decoding: header, as: UTF8.self)) else {
            throw input.problem("its header does not describe face landmarks", at: 10)
        }
        self.rows = rows
        let (bytes, overflows) = rows.multipliedReportingOverflow(by: Self.rowBytes)
        guard !overflows, Int64(exactly: bytes).map({ $0 == input.size - Int64(10 + length) }) == true else {
            throw input.problem("does not have the size of \(rows) rows", at: 10)
        }
    }

    /// - Returns: The number of rows in a header; `nil` if no run writes such a header.
    private static func rows(_ header: String) -> Int? {
        let shape = /\{'descr': '<f4', 'fortran_order': False, 'shape': \((\d{1,15}), (\d+), 3\), \} *\n/
        guard let match = header.wholeMatch(of: shape), match.2 == "\(FaceMesh.pointCount)" else { return nil }
        return Int(match.1)
    }

    /// Returns the mesh of the next row, or `nil` if the row is all NaN because the face has no mesh. The file has a
    /// row for every row of `faces.csv`.
    package func next() throws(VidscanError) -> FaceMesh? {
        let start = input.offset
        guard row < rows, let bytes = try input.take(Self.rowBytes) else {
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

    /// - Throws: `VidscanError` unless all rows have been read.
    package func finish() throws(VidscanError) {
        guard row == rows else { throw input.problem("has \(rows) rows, but faces.csv has \(row)", at: input.offset) }
    }
}
