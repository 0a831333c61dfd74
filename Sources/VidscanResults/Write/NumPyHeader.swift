internal import VidscanBase

/// The header of an array file in NumPy's format 1.0, which describes the elements that follow it.
///
/// The format is that of
/// [NEP 1](https://numpy.org/neps/nep-0001-npy-format.html): a magic string, the version, the length of what follows as
/// a little-endian 16-bit number, and a literal of a Python dictionary, filled up with spaces and a line end.
struct NumPyHeader {
    /// The element type: a literal of Python.
    let elementType: String
    /// The length of each dimension after the first, which is the number of rows.
    let rowShape: [Int]
    /// The length of the whole header in bytes: a multiple of 64 with room for any number of rows. It is fixed because
    /// the header is written before the number of rows is known.
    let length: Int

    func write(rows: Int, to writer: inout ByteWriter) {
        let start = writer.count
        writer.write(byte: 0x93)
        writer.write("NUMPY")
        let rest = length - 10
        for byte in [1, 0, UInt8(rest & 255), UInt8(rest >> 8)] { writer.write(byte: byte) }
        // A tuple of one element ends in a comma.
        let shape =
            rowShape.isEmpty ? "(\(rows),)" : "(\(([rows] + rowShape).map(String.init).joined(separator: ", ")))"
        writer.write(text: "{'descr': \(elementType), 'fortran_order': False, 'shape': \(shape), }")
        while writer.count - start < length - 1 { writer.write(byte: UInt8(ascii: " ")) }
        writer.write("\n")
    }
}
