internal import VidscanBase

/// The header of an array file in NumPy's format 1.0, as in [NEP 1](https://numpy.org/neps/nep-0001-npy-format.html): a
/// magic string, the version, the length of the rest (little-endian, 16 bits), and a Python dictionary filled up with
/// spaces.
struct NumPyHeader {
    /// For messages.
    let contents: String
    /// A Python literal.
    let elementType: String
    /// Without the first dimension, the number of rows.
    var rowShape: [Int] = []
    let rowBytes: Int
    /// In bytes: a multiple of 64 with room for any number of rows, because the header is written before their number
    /// is known.
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

    /// Reads the header and returns the number of rows. Throws if no run writes such a file, or if its size contradicts
    /// its header.
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
        guard rows <= maximum else { throw input.problem("has more than \(maximum) rows", at: 10) }
        guard input.size == Int64(length + rows * rowBytes) else {
            throw input.problem("does not have the size of \(rows) rows", at: 10)
        }
        return rows
    }
}
