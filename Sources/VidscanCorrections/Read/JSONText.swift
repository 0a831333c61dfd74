/// A value of a JSON text.
struct JSONNode: Equatable {
    indirect enum Content: Equatable {
        case null
        case flag(Bool)
        case number(Double)
        case text(String)
        case list([JSONNode])
        /// In the order of the text; no key is there twice.
        case object([Member])
    }

    struct Member: Equatable {
        let key: String
        let value: JSONNode
    }

    /// The line on which it begins, from 1.
    let line: Int
    let content: Content
}

/// Reads JSON as RFC 8259 defines it, and nothing else: no comments, no key that is there twice, no number that is not
/// finite, and no more nesting than a file of corrections has.
struct JSONText {
    struct Malformed: Error, Equatable {
        let line: Int
        let reason: String
    }

    private static let maximumDepth = 16

    private let bytes: [UInt8]
    private var position = 0
    private var line = 1

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// - Parameter text: The whole text.
    static func parse(_ text: String) throws(Malformed) -> JSONNode {
        var reader = JSONText(Array(text.utf8))
        let value = try reader.value(depth: 0)
        reader.skipSpace()
        guard reader.position == reader.bytes.count else {
            throw reader.malformed("there is something after the end of the JSON value")
        }
        return value
    }

    private func malformed(_ reason: String) -> Malformed { Malformed(line: line, reason: reason) }

    private mutating func skipSpace() {
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\n"): line += 1
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): break
            default: return
            }
            position += 1
        }
    }

    /// Steps over a byte if it is this one.
    private mutating func take(_ byte: Unicode.Scalar) -> Bool {
        guard position < bytes.count, bytes[position] == UInt8(ascii: byte) else { return false }
        position += 1
        return true
    }

    private mutating func take(word: StaticString) -> Bool {
        let isThere = word.withUTF8Buffer { bytes[position...].starts(with: $0) }
        if isThere { position += word.utf8CodeUnitCount }
        return isThere
    }

    private mutating func value(depth: Int) throws(Malformed) -> JSONNode {
        guard depth < Self.maximumDepth else { throw malformed("is nested more than \(Self.maximumDepth) levels deep") }
        skipSpace()
        guard position < bytes.count else { throw malformed("the text ends before the JSON value is complete") }
        let start = line
        let content: JSONNode.Content
        switch bytes[position] {
        case UInt8(ascii: "{"): content = .object(try object(depth: depth))
        case UInt8(ascii: "["): content = .list(try list(depth: depth))
        case UInt8(ascii: "\""): content = .text(try string())
        default:
            if take(word: "null") {
                content = .null
            } else if take(word: "true") {
                content = .flag(true)
            } else if take(word: "false") {
                content = .flag(false)
            } else {
                content = .number(try number())
            }
        }
        return JSONNode(line: start, content: content)
    }

    private mutating func object(depth: Int) throws(Malformed) -> [JSONNode.Member] {
        position += 1
        var members: [JSONNode.Member] = []
        var keys: Set<String> = []
        skipSpace()
        if take("}") { return members }
        repeat {
            skipSpace()
            guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else {
                throw malformed("expected a key in quotation marks")
            }
            let key = try string()
            guard keys.insert(key).inserted else { throw malformed("the key \(Self.shown(key)) is there twice") }
            skipSpace()
            guard take(":") else { throw malformed("expected ':' after the key \(Self.shown(key))") }
            members.append(JSONNode.Member(key: key, value: try value(depth: depth + 1)))
            skipSpace()
        } while take(",")
        guard take("}") else { throw malformed("expected ',' or '}'") }
        return members
    }

    private mutating func list(depth: Int) throws(Malformed) -> [JSONNode] {
        position += 1
        var values: [JSONNode] = []
        skipSpace()
        if take("]") { return values }
        repeat {
            values.append(try value(depth: depth + 1))
            skipSpace()
        } while take(",")
        guard take("]") else { throw malformed("expected ',' or ']'") }
        return values
    }

    private mutating func number() throws(Malformed) -> Double {
        let start = position
        func digits(_ position: inout Int) -> Int {
            let first = position
            while position < bytes.count, (0x30...0x39).contains(bytes[position]) { position += 1 }
            return position - first
        }
        _ = take("-")
        let whole = position
        let count = digits(&position)
        var isValid = count > 0 && (count == 1 || bytes[whole] != UInt8(ascii: "0"))
        if take(".") { isValid = digits(&position) > 0 && isValid }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            isValid = digits(&position) > 0 && isValid
        }
        guard isValid, let value = Double(String(decoding: bytes[start..<position], as: UTF8.self)), value.isFinite
        else { throw malformed("expected a JSON value") }
        return value
    }

    private mutating func string() throws(Malformed) -> String {
        position += 1
        var text: [UInt8] = []
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"): text += String(Character(try escaped())).utf8
            case 0..<0x20: throw malformed("a text has a control character; write it as \\u and its number")
            default: text.append(byte)
            }
        }
        throw malformed("a quotation mark is not closed")
    }

    private mutating func escaped() throws(Malformed) -> Unicode.Scalar {
        guard position < bytes.count else { throw malformed("a quotation mark is not closed") }
        let byte = bytes[position]
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            let first = try hexadecimal()
            // A character beyond the first 65,536 is a pair of surrogates.
            if (0xD800..<0xDC00).contains(first), take("\\"), take("u") {
                let second = try hexadecimal()
                if (0xDC00..<0xE000).contains(second),
                    let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
                {
                    return scalar
                }
            } else if let scalar = Unicode.Scalar(first) {
                return scalar
            }
            throw malformed("a text has half of a surrogate pair")
        default: throw malformed("a text has an escape that JSON does not know")
        }
    }

    private mutating func hexadecimal() throws(Malformed) -> UInt32 {
        let digits = bytes[position...].prefix(4)
        position += digits.count
        guard digits.count == 4, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
            let value = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw malformed("expected four hexadecimal digits after \\u") }
        return value
    }

    /// An excerpt of a text for a message.
    static func shown(_ text: String) -> String {
        let excerpt = text.prefix(40)
        return "'\(excerpt)\(excerpt.endIndex < text.endIndex ? "…" : "")'"
    }
}
