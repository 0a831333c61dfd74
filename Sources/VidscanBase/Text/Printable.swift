/// Makes text from elsewhere (names of files, metadata, words of libraries) safe to show.
///
/// A terminal obeys control characters: they recolour, erase and retitle, and a line end forges a line of its own.
/// Bidirectional overrides make a name read as another one. Both are shown as `\u{1B}` instead.
public enum Printable {
    /// One line: line ends and tabs are escaped too.
    public static func line(_ text: String) -> String {
        escaped(text, where: isUnsafe) { "\\u{\(String($0.value, radix: 16, uppercase: true))}" }
    }

    /// A text of several lines; its line ends and tabs stay.
    public static func lines(_ text: String) -> String {
        escaped(text, where: { isUnsafe($0) && $0 != "\n" && $0 != "\t" }) {
            "\\u{\(String($0.value, radix: 16, uppercase: true))}"
        }
    }

    /// A JSON document, with the escapes of JSON, so that its strings keep their values.
    ///
    /// - Parameter text: as an encoder wrote it: control characters below space can stand between its values only.
    public static func json(_ text: String) -> String {
        escaped(text, where: { isUnsafe($0) && $0 != "\n" }) { scalar in
            let digits = String(scalar.value, radix: 16)
            return "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        }
    }

    /// C0, DEL and C1; the separators of lines and paragraphs; embeddings, overrides and isolates of bidirectional text.
    static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    private static func escaped(
        _ text: String, where isUnsafe: (Unicode.Scalar) -> Bool, as escape: (Unicode.Scalar) -> String
    ) -> String {
        guard text.unicodeScalars.contains(where: isUnsafe) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            if isUnsafe(scalar) { result += escape(scalar) } else { result.unicodeScalars.append(scalar) }
        }
        return result
    }
}
