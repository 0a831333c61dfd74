package import Foundation

/// Random damage to a file, the same in every run.
package enum Damage {
    private static let values = [
        "nan", "-nan", "inf", "1e30", "-1e30", "-1", "0", "", "9223372036854775807", "1e400", "0x1p2000", "2147483648",
        "\u{FFFD}", "\u{1B}[31m", "99999999999999999999", "-0", "null", "[]", "1.5", "true", "\"\"",
    ]

    package static func strike(_ bytes: Data, with generator: inout SeededGenerator) -> Data {
        var bytes = Array(bytes)
        guard !bytes.isEmpty else { return Data([0]) }
        let place = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: bytes[place] ^= 1 << Int.random(in: 0..<8, using: &generator)
        case 1: bytes[place] = UInt8.random(in: 0...255, using: &generator)
        case 2: bytes.removeLast(place + 1)
        case 3: bytes.insert(contentsOf: (0..<4).map { _ in UInt8.random(in: 0...255, using: &generator) }, at: place)
        case 4:
            // Words of binary files: infinities, NaN, the largest and the smallest.
            let word =
                [0x7F80_0000, 0x7FC0_0000, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, 0x7149_F2CA, 1].randomElement(
                    using: &generator) ?? 0
            for index in 0..<4 where place / 4 * 4 + index < bytes.count {
                bytes[place / 4 * 4 + index] = UInt8(truncatingIfNeeded: word >> (8 * index))
            }
        default: return field(bytes, near: place, with: &generator)
        }
        return Data(bytes)
    }

    /// Replaces the text between two separators, or copies, drops or swaps lines.
    private static func field(_ bytes: [UInt8], near place: Int, with generator: inout SeededGenerator) -> Data {
        let separators = Set(",\n:{}[] ".utf8)
        var lines = bytes.split(separator: 10, omittingEmptySubsequences: false).map(Array.init)
        let line = Int.random(in: 0..<lines.count, using: &generator)
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: lines.insert(lines[line], at: line)
        case 1: lines.remove(at: line)
        case 2: lines.swapAt(line, Int.random(in: 0..<lines.count, using: &generator))
        default:
            let begin = (bytes[..<place].lastIndex(where: separators.contains) ?? -1) + 1
            let end = bytes[place...].firstIndex(where: separators.contains) ?? bytes.count
            let value = values.randomElement(using: &generator) ?? ""
            return Data(bytes[..<begin] + Array(value.utf8) + bytes[max(begin, end)...])
        }
        return Data(lines.joined(separator: [10]))
    }
}
