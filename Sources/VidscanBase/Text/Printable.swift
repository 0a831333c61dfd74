/// Makes text from other sources (file names, metadata, messages of libraries) safe to display.
///
/// Terminals obey control characters: they change colours, erase text and set titles, and a line break can forge a
/// line. Bidirectional overrides make one name look like another. Both are displayed as escapes such as `\u{1B}`.
public enum Printable {
    /// Escapes a text for display on one line, including line breaks and tabs.
    public static func line(_ text: String) -> String {
        escaped(text, where: isUnsafe) { "\\u{\(String($0.value, radix: 16, uppercase: true))}" }
    }

    /// Escapes a text of several lines; keeps its line breaks and tabs.
    public static func lines(_ text: String) -> String {
        escaped(text, where: { isUnsafe($0) && $0 != "\n" && $0 != "\t" }) {
            "\\u{\(String($0.value, radix: 16, uppercase: true))}"
        }
    }

    /// Escapes a JSON document with JSON escapes, so that its strings keep their values.
    ///
    /// - Parameter text: The output of an encoder, in which control characters below space occur only between values.
    public static func json(_ text: String) -> String {
        escaped(text, where: { isUnsafe($0) && $0 != "\n" }) { scalar in
            let digits = String(scalar.value, radix: 16)
            return "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        }
    }

    /// C0, DEL and C1; line and paragraph separators; embeddings, overrides and isolates of bidirectional text.
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
