package import Foundation
import Testing

/// A file of embeddings in NumPy's format, read without vidscan's own code.
package struct EmbeddingArray {
    package struct Row: Equatable {
        package let person: Int
        package let face: Int
        package let time: Double
        package let weight: Float
        package let values: [Float]

        /// The cosine distance to another embedding.
        package func distance(to other: Row) -> Float {
            1 - zip(values, other.values).map { $0 * $1 }.reduce(0, +)
        }
    }

    package static let headerBytes = 192
    package static let rowBytes = 1044

    package let rows: [Row]

    package init(_ data: Data) throws {
        let bytes = [UInt8](data)
        try #require(bytes.count >= Self.headerBytes && (bytes.count - Self.headerBytes) % Self.rowBytes == 0)
        let count = (bytes.count - Self.headerBytes) / Self.rowBytes
        let header = String(decoding: bytes[10..<Self.headerBytes], as: UTF8.self)
        try #require(header.contains("'shape': (\(count),), }"), "\(header)")
        rows = bytes.withUnsafeBytes { bytes in
            (0..<count).map { row in
                let start = Self.headerBytes + row * Self.rowBytes
                func integer(_ offset: Int) -> Int {
                    Int(Int32(littleEndian: bytes.loadUnaligned(fromByteOffset: start + offset, as: Int32.self)))
                }
                func float(_ offset: Int) -> Float {
                    Float(
                        bitPattern: UInt32(
                            littleEndian: bytes.loadUnaligned(fromByteOffset: start + offset, as: UInt32.self)))
                }
                let time = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: start + 8, as: UInt64.self))
                return Row(
                    person: integer(0), face: integer(4), time: Double(bitPattern: time), weight: float(16),
                    values: (0..<256).map { float(20 + 4 * $0) })
            }
        }
    }
}
