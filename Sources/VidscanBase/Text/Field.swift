/// One value in a row of a table.
package enum Field: Sendable, Equatable {
    /// Not measured or not measurable: blank in CSV, `null` in JSON, never 0.
    case missing
    case integer(Int64)
    case decimal(Double, decimals: Int)
    /// Written as seconds with six decimals.
    case microseconds(Int64)
    case text(String)
}

extension ByteWriter {
    /// Writes a row of CSV (RFC 4180), but with `\n` line ends: quotes a field with a comma, a quote or a line break.
    package mutating func writeCSV(row fields: some Sequence<Field>) {
        writeCSV(fields) { CSVField.quoted($0, if: ",\"\n\r") }
    }

    /// Writes a row. `CSVField` makes texts safe that come from elsewhere, such as file names.
    package mutating func writeCSV(foreign fields: some Sequence<Field>) { writeCSV(fields, CSVField.text) }

    private mutating func writeCSV(_ fields: some Sequence<Field>, _ safe: (String) -> String) {
        var isFirst = true
        for field in fields {
            if !isFirst { write(byte: UInt8(ascii: ",")) }
            isFirst = false
            if case .text(let text) = field { write(text: safe(text)) } else { writeNumber(field) }
        }
        write(byte: UInt8(ascii: "\n"))
    }

    /// Writes nothing for a missing or non-finite value.
    private mutating func writeNumber(_ field: Field) {
        switch field {
        case .missing, .text: break
        case .integer(let value): write(value)
        case .decimal(let value, let decimals): if value.isFinite { write(value, decimals: decimals) }
        case .microseconds(let value): write(scaled: value, decimals: 6)
        }
    }

    /// Writes JSON (RFC 8259). A missing or non-finite value is `null`.
    package mutating func writeJSON(_ field: Field) {
        switch field {
        case .text(let text): writeJSON(text: text)
        case .missing: write("null")
        case .decimal(let value, _) where !value.isFinite: write("null")
        default: writeNumber(field)
        }
    }

    package mutating func writeJSON(names: [String], row fields: some Sequence<Field>) {
        var separator = UInt8(ascii: "{")
        for (name, field) in zip(names, fields) {
            write(byte: separator)
            separator = UInt8(ascii: ",")
            writeJSON(text: name)
            write(byte: UInt8(ascii: ":"))
            writeJSON(field)
        }
        write(byte: UInt8(ascii: "}"))
    }

    /// Returns a text as a JSON string, which is valid YAML too.
    package static func quoted(_ text: String) -> String {
        var writer = ByteWriter(reservingCapacity: text.utf8.count + 8)
        writer.writeJSON(text: text)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    package mutating func writeJSON(text: String) {
        write(byte: UInt8(ascii: "\""))
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": write("\\\"")
            case "\\": write("\\\\")
            case "\n": write("\\n")
            case "\r": write("\\r")
            case "\t": write("\\t")
            // YAML and JavaScript take some of these for the end of a line; YAML readers reject the others.
            case "\u{0}"..<"\u{20}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}", "\u{FEFF}", "\u{FFFE}", "\u{FFFF}":
                write(text: "\\u" + NumberText.hexadecimal(scalar.value, digits: 4))
            default: write(text: String(scalar))
            }
        }
        write(byte: UInt8(ascii: "\""))
    }
}

/// A CSV field (RFC 4180) with text that vidscan did not write: file names and reasons of failures.
package enum CSVField {
    /// Escapes control characters, and puts an apostrophe before what a spreadsheet runs as a formula (CSV injection).
    package static func text(_ text: String) -> String {
        let line = Printable.line(text)
        let startsFormula = line.unicodeScalars.first.map { formulaPrefixes.contains($0) } ?? false
        // Some spreadsheets split at semicolons, except in quotes.
        return quoted(startsFormula ? "'" + line : line, if: ",;\"")
    }

    /// Quotes a text with one of these characters. Works on bytes: as text, a quote and an accent are one character.
    fileprivate static func quoted(_ text: String, if special: String) -> String {
        guard text.utf8.contains(where: special.utf8.contains) else { return text }
        let quote = UInt8(ascii: "\"")
        return "\"" + String(decoding: text.utf8.flatMap { $0 == quote ? [quote, quote] : [$0] }, as: UTF8.self) + "\""
    }

    /// The last four are full-width forms. `Printable` has already escaped tabs and line ends, which are dangerous too.
    private static let formulaPrefixes = Set("=+-@＝＋－＠".unicodeScalars)
}
