package import VidscanBase
package import VidscanFaces

/// `landmarks.npy`: the mesh of each face row as a NumPy array (format 1.0), float32, of shape (rows, 478, 3).
package final class LandmarkFile {
    package static let name = "landmarks.npy"

    private let file: OutputFile
    private var rows = 0
    static let header = NumPyHeader(
        contents: "face landmarks", elementType: "'<f4'", rowShape: [FaceMesh.pointCount, 3],
        rowBytes: 4 * 3 * FaceMesh.pointCount, length: 128)

    package init(folder: String) throws(VidscanError) {
        file = try OutputFile(path: folder + "/" + Self.name)
        Self.header.bytes(rows: 0).withUnsafeBytes { file.buffer.write(bytes: $0) }
    }

    /// A face without a mesh gets a row of NaN.
    package func append(_ mesh: FaceMesh?) throws(VidscanError) {
        rows += 1
        let coordinates = mesh?.coordinates ?? [Float](repeating: .nan, count: 3 * FaceMesh.pointCount)
        coordinates.withUnsafeBytes { file.buffer.write(bytes: $0) }
        try file.drain()
    }

    package func finish() throws(VidscanError) {
        try file.finish(replacingStart: Self.header.bytes(rows: rows))
    }
}
