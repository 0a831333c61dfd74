/// One value in a row of a table.
public enum Field: Sendable, Equatable {
    /// Not measured or not measurable: blank in CSV, `null` in JSON, never 0.
    case missing
    case integer(Int64)
    /// A number with a fixed number of decimals.
    case decimal(Double, decimals: Int)
    /// A time in microseconds, written as seconds with six decimals.
    case microseconds(Int64)
    case text(String)
}

/// CSV according to RFC 4180, but with `\n` line ends: a field with a comma, a quote or a line break is quoted.
extension ByteWriter {
    /// Writes a row and a line end.
    public mutating func writeCSV(row fields: some Sequence<Field>) {
        var isFirst = true
        for field in fields {
            if !isFirst { write(byte: UInt8(ascii: ",")) }
            isFirst = false
            if case .text(let text) = field {
                writeCSV(text: text)
            } else {
                writeNumber(field)
            }
        }
        write(byte: UInt8(ascii: "\n"))
    }

    /// Writes a row and a line end. Texts that vidscan did not write are made safe, as `CSVField` describes.
    package mutating func writeCSV(foreign fields: some Sequence<Field>) {
        var isFirst = true
        for field in fields {
            if !isFirst { write(byte: UInt8(ascii: ",")) }
            isFirst = false
            if case .text(let text) = field {
                write(text: CSVField.text(text))
            } else {
                writeNumber(field)
            }
        }
        write(byte: UInt8(ascii: "\n"))
    }

    private mutating func writeCSV(text: String) {
        let quote = UInt8(ascii: "\"")
        let special: Set<UInt8> = [UInt8(ascii: ","), quote, UInt8(ascii: "\n"), UInt8(ascii: "\r")]
        guard text.utf8.contains(where: special.contains) else { return write(text: text) }
        write(byte: quote)
        for byte in text.utf8 {
            if byte == quote { write(byte: quote) }
            write(byte: byte)
        }
        write(byte: quote)
    }

    /// Writes a number. Writes nothing for a missing or non-finite value.
    private mutating func writeNumber(_ field: Field) {
        switch field {
        case .missing, .text: break
        case .integer(let value): write(value)
        case .decimal(let value, let decimals): if value.isFinite { write(value, decimals: decimals) }
        case .microseconds(let value): write(scaled: value, decimals: 6)
        }
    }
}

/// JSON according to RFC 8259.
extension ByteWriter {
    /// Writes a value. A missing or non-finite value is `null`.
    public mutating func writeJSON(_ field: Field) {
        switch field {
        case .text(let text): writeJSON(text: text)
        case .missing: write("null")
        case .decimal(let value, _) where !value.isFinite: write("null")
        default: writeNumber(field)
        }
    }

    /// Writes an object with the given names and values, in that order.
    public mutating func writeJSON(names: [String], row fields: some Sequence<Field>) {
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

    /// Writes a quoted and escaped string.
    public mutating func writeJSON(text: String) {
        write(byte: UInt8(ascii: "\""))
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": write("\\\"")
            case "\\": write("\\\\")
            case "\n": write("\\n")
            case "\r": write("\\r")
            case "\t": write("\\t")
            // YAML and JavaScript take some of them for the end of a line; no reader of YAML accepts the others.
            case "\u{0}"..<"\u{20}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}", "\u{FEFF}", "\u{FFFE}", "\u{FFFF}":
                let hex = String(scalar.value, radix: 16)
                write(text: "\\u" + String(repeating: "0", count: 4 - hex.count) + hex)
            default: write(text: String(scalar))
            }
        }
        write(byte: UInt8(ascii: "\""))
    }
}
