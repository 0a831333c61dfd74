internal import VidscanBase
internal import VidscanFaces

/// `landmarks.npy`: the mesh of each face row as a NumPy array (format 1.0), float32, of shape (rows, 478, 3).
final class LandmarkFile {
    private let file: OutputFile
    private var rows = 0
    /// In bytes. The length is fixed because the header is written before the number of rows is known.
    private static let headerLength = 128

    init(path: String) throws(VidscanError) {
        file = try OutputFile(path: path)
        Self.writeHeader(rows: 0, to: &file.buffer)
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
        var header = ByteWriter(reservingCapacity: Self.headerLength)
        Self.writeHeader(rows: rows, to: &header)
        try file.finish(replacingStart: header.bytes)
    }

    private static func writeHeader(rows: Int, to writer: inout ByteWriter) {
        let start = writer.count
        writer.write(byte: 0x93)
        writer.write("NUMPY")
        let description = "{'descr': '<f4', 'fortran_order': False, 'shape': (\(rows), \(FaceMesh.pointCount), 3), }"
        let length = headerLength - 10
        for byte in [1, 0, UInt8(length & 255), UInt8(length >> 8)] { writer.write(byte: byte) }
        writer.write(text: description)
        while writer.count - start < headerLength - 1 { writer.write(byte: UInt8(ascii: " ")) }
        writer.write("\n")
    }
}
