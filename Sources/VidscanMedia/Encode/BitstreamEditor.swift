/// Reads bits, most significant first, and clears some of them.
struct BitstreamEditor {
    private(set) var bytes: [UInt8]
    /// Position of the next bit.
    private(set) var position = 0

    init(_ bytes: [UInt8], startingAt byte: Int = 0) {
        self.bytes = bytes
        position = 8 * byte
    }

    var bitsLeft: Int { 8 * bytes.count - position }

    /// - Parameter count: at most 32.
    /// - Returns: `nil` if fewer bits are left.
    mutating func read(_ count: Int) -> Int? {
        guard let value = peek(count) else { return nil }
        position += count
        return value
    }

    func peek(_ count: Int) -> Int? {
        guard count <= bitsLeft else { return nil }
        var value = 0
        for bit in position..<position + count {
            let isSet = bytes[bit >> 3] & (0x80 >> UInt8(bit & 7)) != 0
            value = value << 1 | (isSet ? 1 : 0)
        }
        return value
    }

    mutating func skip(_ count: Int) -> Bool {
        guard count <= bitsLeft else { return false }
        position += count
        return true
    }

    /// Skips to the next whole byte.
    mutating func align() { position = (position + 7) & ~7 }

    /// Clears the next bits, or all that are left.
    mutating func erase(_ count: Int) {
        for bit in position..<position + min(count, bitsLeft) { bytes[bit >> 3] &= ~(0x80 >> UInt8(bit & 7)) }
        position += min(count, bitsLeft)
    }

    /// Clears the rest of the current byte and removes the bytes after it.
    mutating func truncate() {
        let end = position
        erase(-end & 7)
        bytes.removeLast(bytes.count - (end + 7) / 8)
    }
}
