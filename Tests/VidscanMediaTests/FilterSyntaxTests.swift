import CFFmpeg
import Testing
import TestSupport
import VidscanMedia

@Suite("Filter syntax")
struct FilterSyntaxTests {
    /// One filter as libavutil's tokenizer reads it.
    private struct Reading: Equatable {
        var name: String
        var arguments: [FilterCall.Argument]
    }

    /// Parses text with the functions of libavutil that libavfilter's parser calls, in the same order.
    private enum Library {
        static func parse(_ text: String) -> [Reading]? {
            text.withCString { start in
                var readings: [Reading] = []
                var cursor: UnsafePointer<CChar>? = start
                while true {
                    skipSpaces(&cursor)
                    guard skipLabels(&cursor), let name = token(&cursor, "=,;[") else { return nil }
                    var written = ""
                    if byte(cursor) == "=" {
                        cursor = cursor?.advanced(by: 1)
                        guard let read = token(&cursor, "[],;") else { return nil }
                        written = read
                    }
                    guard let arguments = arguments(written), skipLabels(&cursor) else { return nil }
                    readings.append(Reading(name: name, arguments: arguments))
                    skipSpaces(&cursor)
                    switch byte(cursor) {
                    case nil: return readings
                    case ",", ";": cursor = cursor?.advanced(by: 1)
                    default: return nil
                    }
                }
            }
        }

        private static func arguments(_ text: String) -> [FilterCall.Argument]? {
            text.withCString { start in
                var arguments: [FilterCall.Argument] = []
                var cursor: UnsafePointer<CChar>? = start
                while byte(cursor) != nil {
                    var key: UnsafeMutablePointer<CChar>?
                    var value: UnsafeMutablePointer<CChar>?
                    let flags = UInt32(AV_OPT_FLAG_IMPLICIT_KEY)
                    guard av_opt_get_key_value(&cursor, "=", ":", flags, &key, &value) >= 0, let value else {
                        return nil
                    }
                    arguments.append(
                        FilterCall.Argument(name: key.map { String(cString: $0) }, value: String(cString: value)))
                    av_free(key)
                    av_free(value)
                    if byte(cursor) != nil { cursor = cursor?.advanced(by: 1) }
                }
                return arguments
            }
        }

        private static func byte(_ cursor: UnsafePointer<CChar>?) -> Character? {
            cursor.flatMap { $0.pointee == 0 ? nil : Character(UnicodeScalar(UInt8(bitPattern: $0.pointee))) }
        }

        private static func skipSpaces(_ cursor: inout UnsafePointer<CChar>?) {
            while let character = byte(cursor), [" ", "\n", "\t", "\r"].contains(character) {
                cursor = cursor?.advanced(by: 1)
            }
        }

        private static func skipLabels(_ cursor: inout UnsafePointer<CChar>?) -> Bool {
            while byte(cursor) == "[" {
                cursor = cursor?.advanced(by: 1)
                guard token(&cursor, "]") != "", byte(cursor) == "]" else { return false }
                cursor = cursor?.advanced(by: 1)
                skipSpaces(&cursor)
            }
            return true
        }

        private static func token(_ cursor: inout UnsafePointer<CChar>?, _ terminators: String) -> String? {
            guard let token = av_get_token(&cursor, terminators) else { return nil }
            defer { av_free(token) }
            return String(cString: token)
        }
    }

    /// As in libavutil, the name includes the text after an `@`.
    private func readings(_ uses: [FilterCall]) -> [Reading] {
        uses.map { use in
            Reading(name: use.name + (use.identifier.map { "@" + $0 } ?? ""), arguments: use.arguments)
        }
    }

    /// Tokens, invalid tokens, and combining characters.
    private static let pieces = [
        "null", "eq", "drawtext", "scale", "x", "text", "w", "1", "0.5", "iw/2", "=", "=", ":", ":", ",", ",", ";",
        "[a]",
        "[", "]", "'", "'", "\\", "\\", " ", "  ", "\n", "\t", "\r\n", "\u{B}", "\u{1}", "|", "@b", "@", "-", ".", "/",
        "é", "\u{301}", "'\u{301}", ":\u{200D}", "%{pts}", "(a,b)", "''", "\\'", "\\\\", "'a:b'", "'a,b'", "\\,", "\\:",
    ]

    @Test("Accepted text is parsed as libavutil parses it", arguments: 0..<8)
    func agreement(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        var accepted = 0
        for _ in 0..<40_000 {
            var text = ""
            if Bool.random(using: &random) {
                text += ["null", "eq=", "drawtext=text="].randomElement(using: &random) ?? ""
            }
            for _ in 0..<Int.random(in: 1...9, using: &random) {
                text += Self.pieces.randomElement(using: &random) ?? ""
            }
            guard let uses = try? FilterSyntax.parse(text) else { continue }
            accepted += 1
            let expected = Library.parse(text)
            if expected != readings(uses) {
                Issue.record("\(text.debugDescription): \(readings(uses)), not \(String(describing: expected))")
                return
            }
        }
        // Enough accepted and enough refused text.
        #expect((4_000...30_000).contains(accepted), "\(accepted)")
    }

    @Test("libavutil parses written options to the original values", arguments: 0..<4)
    func writing(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(100 + seed))
        for _ in 0..<10_000 {
            let options = (0..<Int.random(in: 1...4, using: &random)).map { number in
                let value = (0..<Int.random(in: 0...6, using: &random)).map { _ in
                    Self.pieces.randomElement(using: &random) ?? ""
                }
                return (name: "option\(number)", value: value.joined())
            }
            let text = FilterChain.step("some_filter", options: options)
            let expected = Reading(
                name: "some_filter",
                arguments: options.map { FilterCall.Argument(name: $0.name, value: $0.value) })
            if Library.parse(text + ",null") != [expected, Reading(name: "null", arguments: [])] {
                Issue.record("\(options) became \(text.debugDescription)")
                return
            }
        }
    }

    @Test("Labels, names, options and branches are recognized")
    func parts() throws {
        let uses = try FilterSyntax.parse(
            " [in] split@two=2 [a][ b ] ;[a] eq = gamma='1.5': contrast=2 [c];[c][b]hstack ")
        #expect(uses.map(\.name) == ["split", "eq", "hstack"])
        #expect(uses.map(\.inputs) == [["in"], ["a"], ["c", "b"]])
        #expect(uses.map(\.outputs) == [["a", "b"], ["c"], []])
        #expect(uses.map(\.identifier) == ["two", nil, nil])
        #expect(uses.map(\.startsBranch) == [false, true, true])
        #expect(uses[0].arguments == [FilterCall.Argument(name: nil, value: "2")])
        #expect(
            uses[1].arguments == [
                FilterCall.Argument(name: "gamma", value: "1.5"), FilterCall.Argument(name: "contrast", value: "2"),
            ])
        #expect(uses[1].written == "eq = gamma='1.5': contrast=2")
    }

    private static let refused = [
        ("", "the name of a filter is missing, at character 1"),
        ("null,,null", "the name of a filter is missing, at character 6"),
        ("null;", "the name of a filter is missing, at character 6"),
        (String(repeating: "n", count: 101), "the name of a filter is too long, at character 102"),
        (
            "eq=" + String(repeating: "n", count: 101) + "=1",
            "a name is too long in the options of 'eq', at character 4"
        ),
        ("null null", "a comma is missing, at character 6"), ("null]", "a comma is missing, at character 5"),
        ("'null'", "the name of a filter is missing, at character 1"),
        ("nu\\ll", "a comma is missing, at character 3"), ("null@", "a name is missing after '@', at character 6"),
        ("eq=gamma='1", "a quotation mark is not closed, at character 10"),
        ("eq=gamma=1\\", "it ends with a backslash, at character 12"),
        (
            "drawtext=text=\\'a",
            "a quotation mark is not closed in the options of 'drawtext', at character 10"
        ),
        ("eq=gamma=1:2", "a value without a name follows one with a name in the options of 'eq', at character 4"),
        ("eq==1", "a name is missing before '=' in the options of 'eq', at character 4"),
        ("[a'b]null", "a label in brackets may contain only letters, digits, _ : . -, at character 3"),
        ("[]null", "a label in brackets may contain only letters, digits, _ : . -, at character 2"),
        ("null\u{0},ladspa", "it contains a control character, at character 5"),
        ("null\u{B}", "it contains a control character, at character 5"),
        ("drawtext=text=a\u{7F}", "it contains a control character, at character 16"),
    ]

    @Test("Ambiguous and malformed text is refused with its position", arguments: refused)
    func refusals(text: String, reason: String) {
        do throws(FilterSyntax.ParseError) {
            _ = try FilterSyntax.parse(text)
            Issue.record("it was accepted")
        } catch {
            #expect(error.reason == reason)
        }
    }

    @Test("Very long text and very many filters are refused")
    func sizes() {
        let long = "drawtext=text=" + String(repeating: "a", count: FilterSyntax.maximumBytes)
        #expect(throws: FilterSyntax.ParseError.self) { try FilterSyntax.parse(long) }
        let many = Array(repeating: "null", count: FilterSyntax.maximumFilters)
        #expect((try? FilterSyntax.parse(many.joined(separator: ",")))?.count == FilterSyntax.maximumFilters)
        #expect(throws: FilterSyntax.ParseError.self) {
            try FilterSyntax.parse((many + ["null"]).joined(separator: ","))
        }
    }
}
