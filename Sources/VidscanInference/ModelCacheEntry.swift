internal import VidscanBase

/// A file of the model cache: OpenVINO's form of the model, the key as text, and a trailer of four little-endian 64-bit
/// numbers: the format, the sizes of the two parts before it, and the XXH64 of the model.
///
/// The key is in the file as a whole, so that two keys with the same file name are not confused. It follows the model,
/// because OpenVINO reads the model in place, where it should be aligned.
struct ModelCacheEntry {
    /// "vidscan1" in ASCII.
    private static let format: UInt64 = 0x316e_6163_7364_6976
    private static let trailerBytes = 4 * MemoryLayout<UInt64>.size

    private let file: AlignedBytes
    private let blobBytes: Int

    /// - Parameters:
    ///   - file: The content of a file.
    ///   - key: The key that the file must have.
    /// - Returns: `nil` if the file is damaged or has another key.
    init?(_ file: AlignedBytes, key: String) {
        let bytes = file.bytes
        let end = bytes.count - Self.trailerBytes
        let keyBytes = key.utf8.count
        guard end >= keyBytes else { return nil }
        let trailer = (0..<4).map {
            UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: end + 8 * $0, as: UInt64.self))
        }
        blobBytes = end - keyBytes
        guard trailer[0] == Self.format, trailer[1] == UInt64(blobBytes), trailer[2] == UInt64(keyBytes),
            bytes[blobBytes..<end].elementsEqual(key.utf8),
            XXHash64.checksum(UnsafeRawBufferPointer(rebasing: bytes[..<blobBytes])) == trailer[3]
        else { return nil }
        self.file = file
    }

    /// OpenVINO's form of the model, valid as long as `owner` lives.
    var blob: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: file.bytes[..<blobBytes]) }

    /// What keeps the bytes of the model in memory.
    var owner: AlignedBytes { file }

    /// Returns what follows the model in a file.
    static func end(of blob: UnsafeRawBufferPointer, key: String) -> [UInt8] {
        var end = Array(key.utf8)
        for number in [format, UInt64(blob.count), UInt64(end.count), XXHash64.checksum(blob)] {
            withUnsafeBytes(of: number.littleEndian) { end += $0 }
        }
        return end
    }
}
