internal import CZlib
internal import VidscanBase

/// The zlib format (RFC 1950), which browsers decompress.
enum Deflate {
    /// Compresses bytes.
    ///
    /// - Throws: `VidscanError` if there is not enough memory.
    static func compress(_ bytes: [UInt8]) throws(VidscanError) -> [UInt8] {
        var size = compressBound(uLong(bytes.count))
        var compressed = [UInt8](repeating: 0, count: Int(size))
        guard compress2(&compressed, &size, bytes, uLong(bytes.count), Z_BEST_COMPRESSION) == Z_OK else {
            throw VidscanError(.output, "not enough memory to compress the page's data", stage: .render)
        }
        compressed.removeLast(compressed.count - Int(size))
        return compressed
    }
}
