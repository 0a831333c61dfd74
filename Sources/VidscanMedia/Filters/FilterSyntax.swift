/// Parses FFmpeg's syntax for filters, `crop=iw/2:ih/2,eq=brightness=0.1`, without FFmpeg. It refuses text that
/// libavfilter might read in another way; that gets only a `FilterCall`'s `text`, never a file's.
package enum FilterSyntax {
    package struct ParseError: Error, Sendable, Equatable {
        /// `a quotation mark is not closed, at character 7`
        package let reason: String
    }

    /// A thousand filters. FFmpeg's time grows with the square of their number.
    package static let maximumBytes = 8192
    /// No filter or option has a longer name.
    private static let maximumNameBytes = 100
    /// Each filter costs memory before the first frame.
    package static let maximumFilters = 1000

    package static func parse(_ text: String) throws(ParseError) -> [FilterCall] {
        let bytes = Array(text.utf8)
        guard bytes.count <= maximumBytes else { throw ParseError(reason: "it is longer than \(maximumBytes) bytes") }
        var scanner = Scanner(bytes: bytes)
        let calls: [FilterCall]
        do throws(ParseError) { calls = try readCalls(&scanner) } catch {
            let character = String(decoding: bytes[..<scanner.position], as: UTF8.self).count + 1
            throw ParseError(reason: "\(error.reason), at character \(character)")
        }
        guard calls.count <= maximumFilters else {
            throw ParseError(reason: "it has more than \(maximumFilters) filters")
        }
        return calls
    }

    static let spaces = Array(" \n\t\r".utf8)

    static func isWord(_ byte: UInt8) -> Bool {
        let character = Character(UnicodeScalar(byte))
        return character == "_" || character.isASCII && (character.isLetter || character.isNumber)
    }

    /// Stops after one filter too many. An error is at the scanner's position.
    private static func readCalls(_ scanner: inout Scanner) throws(ParseError) -> [FilterCall] {
        if let position = scanner.bytes.firstIndex(where: { $0 < 0x20 && !spaces.contains($0) || $0 == 0x7F }) {
            scanner.position = position
            throw ParseError(reason: "it contains a control character")
        }
        var calls = [try readCall(&scanner, startsBranch: false)]
        while calls.count <= maximumFilters, let separator = scanner.current {
            guard ",;".utf8.contains(separator) else { throw ParseError(reason: "a comma is missing") }
            scanner.position += 1
            calls.append(try readCall(&scanner, startsBranch: separator == UInt8(ascii: ";")))
        }
        return calls
    }

    private static func readCall(_ scanner: inout Scanner, startsBranch: Bool) throws(ParseError) -> FilterCall {
        let inputs = try readLabels(&scanner)
        let start = scanner.position
        let name = scanner.read(while: isWord)
        guard !name.isEmpty else { throw ParseError(reason: "the name of a filter is missing") }
        guard name.utf8.count <= maximumNameBytes else { throw ParseError(reason: "the name of a filter is too long") }
        var call = FilterCall(name)
        (call.inputs, call.startsBranch) = (inputs, startsBranch)
        if scanner.skip("@") {
            let identifier = scanner.read { isWord($0) || $0 == UInt8(ascii: "-") }
            guard !identifier.isEmpty else { throw ParseError(reason: "a name is missing after '@'") }
            call.identifier = identifier
        }
        var end = scanner.position
        scanner.skipSpaces()
        if scanner.skip("=") {
            let written = scanner.position
            let arguments = try scanner.token(until: "[],;")
            end = scanner.position
            do { call.arguments = try readArguments(arguments) } catch {
                scanner.position = written
                throw ParseError(reason: "\(error.reason) in the options of '\(name)'")
            }
        }
        var text = scanner.bytes[start..<end]
        while let last = text.last, spaces.contains(last) { text.removeLast() }
        call.written = String(decoding: text, as: UTF8.self)
        call.outputs = try readLabels(&scanner)
        return call
    }

    private static func readLabels(_ scanner: inout Scanner) throws(ParseError) -> [String] {
        var labels: [String] = []
        scanner.skipSpaces()
        while scanner.skip("[") {
            scanner.skipSpaces()
            let label = scanner.read { isWord($0) || ":.-".utf8.contains($0) }
            scanner.skipSpaces()
            guard !label.isEmpty, scanner.skip("]") else {
                throw ParseError(reason: "a label in brackets may contain only letters, digits, _ : . -")
            }
            scanner.skipSpaces()
            labels.append(label)
        }
        return labels
    }

    private static func readArguments(_ bytes: [UInt8]) throws(ParseError) -> [FilterCall.Argument] {
        var scanner = Scanner(bytes: bytes)
        var arguments: [FilterCall.Argument] = []
        while scanner.current != nil {
            let start = scanner.position
            scanner.skipSpaces()
            let key = scanner.read { isWord($0) || "-/.".utf8.contains($0) }
            scanner.skipSpaces()
            let isNamed = scanner.skip("=")
            if isNamed {
                guard !key.isEmpty else { throw ParseError(reason: "a name is missing before '='") }
                guard key.utf8.count <= maximumNameBytes else { throw ParseError(reason: "a name is too long") }
            } else {
                scanner.position = start
                // Which option such a value sets depends on the version of FFmpeg.
                guard arguments.last?.name == nil else {
                    throw ParseError(reason: "a value without a name follows one with a name")
                }
            }
            let value = try scanner.token(until: ":")
            arguments.append(
                FilterCall.Argument(name: isNamed ? key : nil, value: String(decoding: value, as: UTF8.self)))
            scanner.position += 1
        }
        return arguments
    }

    private struct Scanner {
        let bytes: [UInt8]
        var position = 0

        var current: UInt8? { position < bytes.count ? bytes[position] : nil }

        mutating func skip(_ character: Unicode.Scalar) -> Bool {
            guard let byte = current, byte == UInt8(ascii: character) else { return false }
            position += 1
            return true
        }

        mutating func skipSpaces() { while let byte = current, FilterSyntax.spaces.contains(byte) { position += 1 } }

        mutating func read(while isPart: (UInt8) -> Bool) -> String {
            let start = position
            while let byte = current, isPart(byte) { position += 1 }
            return String(decoding: bytes[start..<position], as: UTF8.self)
        }

        /// Ends before a terminator; without escapes, quotation marks and unquoted spaces at both ends.
        mutating func token(until terminators: String) throws(ParseError) -> [UInt8] {
            skipSpaces()
            var token: [UInt8] = []
            var kept = 0
            while let byte = current, !terminators.utf8.contains(byte) {
                position += 1
                switch byte {
                case UInt8(ascii: "\\"):
                    guard let next = current else { throw ParseError(reason: "it ends with a backslash") }
                    token.append(next)
                    position += 1
                    kept = token.count
                case UInt8(ascii: "'"):
                    guard let close = bytes[position...].firstIndex(of: byte) else {
                        position -= 1
                        throw ParseError(reason: "a quotation mark is not closed")
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
    }
}

package struct FilterCall: Sendable, Hashable {
    package struct Argument: Sendable, Hashable {
        /// `nil` if the position determines the option. libavfilter gets only arguments with names.
        package var name: String?
        /// Without quotation marks and escapes.
        package var value: String

        package init(name: String?, value: String) { (self.name, self.value) = (name, value) }
    }

    package var inputs: [String] = []
    package var name: String
    package var identifier: String?
    package var arguments: [Argument] = []
    package var outputs: [String] = []
    /// Begins a new branch, connected with the previous filter only by labels.
    package var startsBranch = false
    /// Name and arguments as the user wrote them, if a user did.
    package var written = ""

    init(_ name: String, _ arguments: [(name: String, value: String)] = []) {
        self.name = name
        self.arguments = arguments.map { Argument(name: $0.name, value: $0.value) }
    }

    /// Connected only with the filters before and after it.
    var isLinear: Bool { inputs.isEmpty && outputs.isEmpty && !startsBranch }

    /// Escaped once for the list of options and once for the list of filters.
    var text: String {
        let labels = { (names: [String]) in names.map { "[\($0)]" }.joined() }
        var text = labels(inputs) + name + (identifier.map { "@" + $0 } ?? "")
        if !arguments.isEmpty {
            let pairs = arguments.map { ($0.name.map { $0 + "=" } ?? "") + Self.escape($0.value, special: ":'\\") }
            text += "=" + Self.escape(pairs.joined(separator: ":"), special: "[],;'\\")
        }
        return text + labels(outputs)
    }

    static func text(_ calls: [FilterCall]) -> String {
        calls.enumerated().map { number, call in (number == 0 ? "" : call.startsBranch ? ";" : ",") + call.text }
            .joined()
    }

    /// Works on bytes, because a combining character after a quotation mark does not change its meaning.
    private static func escape(_ text: String, special: String) -> String {
        let bytes = Array(text.utf8)
        var escaped: [UInt8] = []
        for (position, byte) in bytes.enumerated() {
            let isOuterSpace = FilterSyntax.spaces.contains(byte) && (position == 0 || position == bytes.count - 1)
            if special.utf8.contains(byte) || isOuterSpace { escaped.append(UInt8(ascii: "\\")) }
            escaped.append(byte)
        }
        return String(decoding: escaped, as: UTF8.self)
    }

    /// Whether commas and labels connect every filter with every other.
    static func isConnected(_ calls: [FilterCall]) -> Bool {
        var group = Array(calls.indices)
        var owners: [String: Int] = [:]
        for (number, call) in calls.enumerated() {
            var neighbours = (call.inputs + call.outputs).compactMap { owners.updateValue(number, forKey: $0) }
            if number > 0, !call.startsBranch { neighbours.append(number - 1) }
            let joined = Set(neighbours.map { group[$0] })
            for index in 0..<number where joined.contains(group[index]) { group[index] = number }
        }
        return Set(group).count <= 1
    }
}
