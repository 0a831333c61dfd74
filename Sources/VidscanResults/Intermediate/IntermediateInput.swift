internal import VidscanBase

/// Reads a binary file sequentially through a buffer.
final class IntermediateInput {
    private let file: ReadableFile
    private var buffer: [UInt8] = []
    private var position = 0
    /// The offset of the next byte in the file.
    private(set) var offset = 0

    /// - Parameter name: The name of the file in `folder`.
    init(folder: String, name: String) throws(VidscanError) {
        file = try ReadableFile(folder: folder, name: name)
    }

    /// The size of the file in bytes.
    var size: Int64 { file.size }

    /// - Returns: The next `count` bytes, or `nil` at the end.
    /// - Throws: `VidscanError` if fewer bytes are left.
    func take(_ count: Int) throws(VidscanError) -> ArraySlice<UInt8>? {
        while buffer.count - position < count {
            buffer.removeFirst(position)
            position = 0
            guard try file.read(upTo: max(1 << 16, count), into: &buffer) else {
                guard buffer.isEmpty else { throw problem("is truncated", at: offset) }
                return nil
            }
        }
        defer {
            position += count
            offset += count
        }
        return buffer[position..<position + count]
    }

    /// Returns an error that names the offset of the byte.
    func problem(_ reason: String, at byte: Int) -> VidscanError {
        VidscanError(
            .result, "\(file.name), byte \(byte): \(reason); the file is damaged, analyse the video again", stage: .open
        )
    }
}
