/// Parses FFmpeg's syntax for filters, `crop=iw/2:ih/2,eq=brightness=0.1`, without FFmpeg.
///
/// The parser is strict. It refuses text that libavfilter might read in another way, and libavfilter never gets text from a
/// file but only text that `FilterCall` has written.
public enum FilterSyntax {
    /// One option of a filter.
    public struct Argument: Sendable, Hashable {
        /// `nil` if the position among the options determines it.
        public var name: String?
        /// Without quotation marks and escapes.
        public var value: String

        public init(name: String?, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// One filter as written.
    public struct Use: Sendable, Hashable {
        /// Labels before the filter.
        public var inputs: [String] = []
        public var name: String
        /// The name after an `@`.
        public var identifier: String?
        public var arguments: [Argument] = []
        /// Labels after the filter.
        public var outputs: [String] = []
        /// Whether there is a semicolon before the filter.
        public var startsBranch: Bool
        /// Name and arguments as written.
        public var text: String
    }

    /// Why a text is not a filter chain.
    public struct ParseError: Error, Sendable, Equatable {
        /// `a quotation mark is not closed, at character 7`
        public let reason: String
    }

    /// Longer text is refused.
    public static let maximumBytes = 64 << 10
    /// No filter or option has a longer name.
    private static let maximumNameBytes = 100
    /// More filters are refused, because each one costs memory before the first frame.
    public static let maximumFilters = 1000

    public static func parse(_ text: String) throws(ParseError) -> [Use] {
        let bytes = Array(text.utf8)
        guard bytes.count <= maximumBytes else { throw ParseError(reason: "it is longer than \(maximumBytes) bytes") }
        if let position = bytes.firstIndex(where: { isControl($0) }) {
            throw Scanner(bytes, at: position).error("it contains a control character")
        }
        var scanner = Scanner(bytes)
        var uses: [Use] = []
        var startsBranch = false
        while true {
            uses.append(try readUse(&scanner, startsBranch: startsBranch))
            guard uses.count <= maximumFilters else {
                throw ParseError(reason: "it has more than \(maximumFilters) filters")
            }
            switch scanner.current {
            case nil: return uses
            case UInt8(ascii: ","): startsBranch = false
            case UInt8(ascii: ";"): startsBranch = true
            default: throw scanner.error("a comma is missing")
            }
            scanner.advance()
        }
    }

    // MARK: Reading

    /// White space in FFmpeg's syntax.
    static let spaces = Array(" \n\t\r".utf8)

    private static func isControl(_ byte: UInt8) -> Bool { byte < 0x20 && !spaces.contains(byte) || byte == 0x7F }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private static func readUse(_ scanner: inout Scanner, startsBranch: Bool) throws(ParseError) -> Use {
        let inputs = try readLabels(&scanner)
        scanner.skipSpaces()
        let start = scanner.position
        let name = scanner.read(while: isWord)
        guard !name.isEmpty else { throw scanner.error("the name of a filter is missing") }
        guard name.utf8.count <= maximumNameBytes else { throw scanner.error("the name of a filter is too long") }
        var use = Use(inputs: inputs, name: name, startsBranch: startsBranch, text: "")
        if scanner.current == UInt8(ascii: "@") {
            scanner.advance()
            let identifier = scanner.read { isWord($0) || $0 == UInt8(ascii: "-") }
            guard !identifier.isEmpty else { throw scanner.error("a name is missing after '@'") }
            use.identifier = identifier
        }
        var end = scanner.position
        scanner.skipSpaces()
        if scanner.current == UInt8(ascii: "=") {
            scanner.advance()
            let written = scanner.position
            let arguments = try scanner.token(until: "[],;")
            end = scanner.position
            do {
                use.arguments = try readArguments(arguments)
            } catch {
                throw Scanner(scanner.bytes, at: written).error("\(error.reason) in the options of '\(name)'")
            }
        }
        use.text = scanner.trimmed(start..<end)
        use.outputs = try readLabels(&scanner)
        scanner.skipSpaces()
        return use
    }

    private static func readLabels(_ scanner: inout Scanner) throws(ParseError) -> [String] {
        var labels: [String] = []
        scanner.skipSpaces()
        while scanner.current == UInt8(ascii: "[") {
            scanner.advance()
            scanner.skipSpaces()
            let label = scanner.read { isWord($0) || ":.-".utf8.contains($0) }
            scanner.skipSpaces()
            guard !label.isEmpty, scanner.current == UInt8(ascii: "]") else {
                throw scanner.error("a label in brackets may contain only letters, digits, _ : . -")
            }
            scanner.advance()
            scanner.skipSpaces()
            labels.append(label)
        }
        return labels
    }

    /// The characters of an option's name in FFmpeg's syntax.
    private static func isKey(_ byte: UInt8) -> Bool { isWord(byte) || "-/.".utf8.contains(byte) }

    private static func readArguments(_ bytes: [UInt8]) throws(ParseError) -> [Argument] {
        var scanner = Scanner(bytes, countsCharacters: false)
        var arguments: [Argument] = []
        while scanner.current != nil {
            let start = scanner.position
            scanner.skipSpaces()
            var name: String? = scanner.read(while: isKey)
            scanner.skipSpaces()
            if scanner.current == UInt8(ascii: "=") {
                guard name?.isEmpty == false else { throw ParseError(reason: "a name is missing before '='") }
                guard name.map({ $0.utf8.count <= maximumNameBytes }) == true else {
                    throw ParseError(reason: "a name is too long")
                }
                scanner.advance()
            } else {
                name = nil
                scanner.position = start
                // Which option such a value sets depends on the version of FFmpeg.
                guard arguments.last?.name == nil else {
                    throw ParseError(reason: "a value without a name follows one with a name")
                }
            }
            let value = try scanner.token(until: ":")
            arguments.append(Argument(name: name, value: String(decoding: value, as: UTF8.self)))
            scanner.advance()
        }
        return arguments
    }

    /// Reads bytes in order.
    private struct Scanner {
        let bytes: [UInt8]
        var position: Int
        /// Whether positions are those in the user's text.
        private let countsCharacters: Bool

        init(_ bytes: [UInt8], at position: Int = 0, countsCharacters: Bool = true) {
            self.bytes = bytes
            self.position = position
            self.countsCharacters = countsCharacters
        }

        /// `nil` at the end.
        var current: UInt8? { position < bytes.count ? bytes[position] : nil }

        mutating func advance() { position = min(position + 1, bytes.count) }

        mutating func skipSpaces() {
            while let byte = current, FilterSyntax.spaces.contains(byte) { position += 1 }
        }

        mutating func read(while isPart: (UInt8) -> Bool) -> String {
            let start = position
            while let byte = current, isPart(byte) { position += 1 }
            return String(decoding: bytes[start..<position], as: UTF8.self)
        }

        /// Text up to a terminator or to the end, without escapes, quotation marks and unquoted spaces at both ends.
        mutating func token(until terminators: String) throws(ParseError) -> [UInt8] {
            skipSpaces()
            var token: [UInt8] = []
            var kept = 0
            while let byte = current, !terminators.utf8.contains(byte) {
                position += 1
                switch byte {
                case UInt8(ascii: "\\"):
                    guard let next = current else { throw error("it ends with a backslash") }
                    token.append(next)
                    position += 1
                    kept = token.count
                case UInt8(ascii: "'"):
                    guard let close = bytes[position...].firstIndex(of: byte) else {
                        position -= 1
                        throw error("a quotation mark is not closed")
                    }
                    token += bytes[position..<close]
                    position = close + 1
                    kept = token.count
                default: token.append(byte)
                }
            }
            while token.count > kept, let last = token.last, FilterSyntax.spaces.contains(last) { token.removeLast() }
            return token
        }

        func trimmed(_ range: Range<Int>) -> String {
            var range = bytes[range]
            while let last = range.last, FilterSyntax.spaces.contains(last) { range.removeLast() }
            return String(decoding: range, as: UTF8.self)
        }

        func error(_ reason: String) -> ParseError {
            guard countsCharacters else { return ParseError(reason: reason) }
            let character = String(decoding: bytes[..<position], as: UTF8.self).count + 1
            return ParseError(reason: "\(reason), at character \(character)")
        }
    }
}
