import Foundation
import Testing

/// A landmark file in NumPy's format: rows × 478 × 3.
struct LandmarkArray {
    let rowCount: Int
    private let values: [Float]

    init(path: String) throws {
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        try #require(data.prefix(8) == Data([0x93, 0x4E, 0x55, 0x4D, 0x50, 0x59, 1, 0]), "no NumPy file")
        let headerLength = Int(data[8]) + Int(data[9]) << 8
        let header = String(decoding: data[10..<(10 + headerLength)], as: UTF8.self)
        try #require(header.contains("'descr': '<f4'") && header.contains("'fortran_order': False"))
        values = data.dropFirst(10 + headerLength).withUnsafeBytes { bytes in
            (0..<bytes.count / 4).map { bytes.loadUnaligned(fromByteOffset: 4 * $0, as: Float.self) }
        }
        rowCount = values.count / (478 * 3)
        try #require(header.contains("'shape': (\(rowCount), 478, 3)"))
    }

    func x(_ row: Int, _ point: Int) -> Double { Double(values[(row * 478 + point) * 3]) }
    func y(_ row: Int, _ point: Int) -> Double { Double(values[(row * 478 + point) * 3 + 1]) }
}
