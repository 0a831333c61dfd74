package import VidscanBase
package import VidscanFaces

/// `landmarks.npy`: the mesh of each face row as a NumPy array (format 1.0), float32, of shape (rows, 478, 3).
package final class LandmarkFile {
    package static let name = "landmarks.npy"

    private let file: OutputFile
    private var rows = 0
    private static let header = NumPyHeader(elementType: "'<f4'", rowShape: [FaceMesh.pointCount, 3], length: 128)

    package init(folder: String) throws(VidscanError) {
        file = try OutputFile(path: folder + "/" + Self.name)
        Self.header.write(rows: 0, to: &file.buffer)
    }

    /// Appends a row; it is all NaN for a face without a mesh.
    package func append(_ mesh: FaceMesh?) throws(VidscanError) {
        rows += 1
        if let mesh {
            mesh.coordinates.withUnsafeBytes { file.buffer.write(bytes: $0) }
        } else {
            let nothing = [Float](repeating: .nan, count: 3 * FaceMesh.pointCount)
            nothing.withUnsafeBytes { file.buffer.write(bytes: $0) }
        }
        try file.drain()
    }

    package func finish() throws(VidscanError) {
        var header = ByteWriter(reservingCapacity: Self.header.length)
        Self.header.write(rows: rows, to: &header)
        try file.finish(replacingStart: header.bytes)
    }
}
