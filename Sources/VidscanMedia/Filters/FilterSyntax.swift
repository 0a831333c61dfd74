/// FFmpeg's notation for filters, `crop=iw/2:ih/2,eq=brightness=0.1`, read and written without any library.
///
/// It is read strictly: text that libavfilter might read in another way is refused, and libavfilter is never given what a
/// file said but only what this project has written from it.
public enum FilterSyntax {
    /// One option of a filter.
    public struct Argument: Sendable, Hashable {
        /// `nil` where only the place among the options tells it.
        public var name: String?
        /// With all quoting taken off.
        public var value: String

        public init(name: String?, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// One filter as it is written.
    public struct Use: Sendable, Hashable {
        /// Labels before it.
        public var inputs: [String] = []
        public var name: String
        /// What follows an `@`.
        public var identifier: String?
        public var arguments: [Argument] = []
        /// Labels after it.
        public var outputs: [String] = []
        /// Whether a semicolon stands before it.
        public var startsBranch: Bool
        /// Name and arguments as written.
        public var text: String
    }

    /// Text that is no list of filters.
    public struct ParseError: Error, Sendable, Equatable {
        /// `a quotation mark is not closed, at character 7`
        public let reason: String
    }

    /// Longer text is not read.
    public static let maximumBytes = 64 << 10
    /// No filter and no option has a longer name.
    private static let maximumNameBytes = 100
    /// More are not taken: each costs memory before the first picture comes.
    public static let maximumFilters = 1000

    public static func parse(_ text: String) throws(ParseError) -> [Use] {
        let bytes = Array(text.utf8)
        guard bytes.count <= maximumBytes else { throw ParseError(reason: "it is longer than \(maximumBytes) bytes") }
        if let place = bytes.firstIndex(where: { isControl($0) }) {
            throw Scanner(bytes, at: place).refusal("a control character is in it")
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
            default: throw scanner.refusal("a comma is missing")
            }
            scanner.advance()
        }
    }

    // MARK: Reading

    /// What FFmpeg takes for white space.
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
        let start = scanner.place
        let name = scanner.read(while: isWord)
        guard !name.isEmpty else { throw scanner.refusal("the name of a filter is missing") }
        guard name.utf8.count <= maximumNameBytes else { throw scanner.refusal("the name of a filter is too long") }
        var use = Use(inputs: inputs, name: name, startsBranch: startsBranch, text: "")
        if scanner.current == UInt8(ascii: "@") {
            scanner.advance()
            let identifier = scanner.read { isWord($0) || $0 == UInt8(ascii: "-") }
            guard !identifier.isEmpty else { throw scanner.refusal("a name is missing after '@'") }
            use.identifier = identifier
        }
        var end = scanner.place
        scanner.skipSpaces()
        if scanner.current == UInt8(ascii: "=") {
            scanner.advance()
            let written = scanner.place
            let arguments = try scanner.token(until: "[],;")
            end = scanner.place
            do {
                use.arguments = try readArguments(arguments)
            } catch {
                throw Scanner(scanner.bytes, at: written).refusal("\(error.reason) in the options of '\(name)'")
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
                throw scanner.refusal("a label is not letters, digits, _ : . - between brackets")
            }
            scanner.advance()
            scanner.skipSpaces()
            labels.append(label)
        }
        return labels
    }

    /// What FFmpeg takes for a part of an option's name.
    private static func isKey(_ byte: UInt8) -> Bool { isWord(byte) || "-/.".utf8.contains(byte) }

    private static func readArguments(_ bytes: [UInt8]) throws(ParseError) -> [Argument] {
        var scanner = Scanner(bytes, countsCharacters: false)
        var arguments: [Argument] = []
        while scanner.current != nil {
            let start = scanner.place
            scanner.skipSpaces()
            var name: String? = scanner.read(while: isKey)
            scanner.skipSpaces()
            if scanner.current == UInt8(ascii: "=") {
                guard name?.isEmpty == false else { throw ParseError(reason: "there is no name before '='") }
                guard name.map({ $0.utf8.count <= maximumNameBytes }) == true else {
                    throw ParseError(reason: "a name is too long")
                }
                scanner.advance()
            } else {
                name = nil
                scanner.place = start
                // Versions of FFmpeg differ in what such a value sets.
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

    /// Reads bytes one after the other.
    private struct Scanner {
        let bytes: [UInt8]
        var place: Int
        /// Whether its places are those that the user has written.
        private let countsCharacters: Bool

        init(_ bytes: [UInt8], at place: Int = 0, countsCharacters: Bool = true) {
            self.bytes = bytes
            self.place = place
            self.countsCharacters = countsCharacters
        }

        /// `nil` at the end.
        var current: UInt8? { place < bytes.count ? bytes[place] : nil }

        mutating func advance() { place = min(place + 1, bytes.count) }

        mutating func skipSpaces() {
            while let byte = current, FilterSyntax.spaces.contains(byte) { place += 1 }
        }

        mutating func read(while isPart: (UInt8) -> Bool) -> String {
            let start = place
            while let byte = current, isPart(byte) { place += 1 }
            return String(decoding: bytes[start..<place], as: UTF8.self)
        }

        /// Text up to one of the bytes that end it, or to the end: backslashes keep the next byte as it is, quotation marks
        /// all between them; other spaces at both ends do not count.
        mutating func token(until terminators: String) throws(ParseError) -> [UInt8] {
            skipSpaces()
            var token: [UInt8] = []
            var kept = 0
            while let byte = current, !terminators.utf8.contains(byte) {
                place += 1
                switch byte {
                case UInt8(ascii: "\\"):
                    guard let next = current else { throw refusal("a backslash ends it") }
                    token.append(next)
                    place += 1
                    kept = token.count
                case UInt8(ascii: "'"):
                    guard let close = bytes[place...].firstIndex(of: byte) else {
                        place -= 1
                        throw refusal("a quotation mark is not closed")
                    }
                    token += bytes[place..<close]
                    place = close + 1
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

        func refusal(_ reason: String) -> ParseError {
            guard countsCharacters else { return ParseError(reason: reason) }
            let character = String(decoding: bytes[..<place], as: UTF8.self).count + 1
            return ParseError(reason: "\(reason), at character \(character)")
        }
    }
}
