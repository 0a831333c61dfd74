/// Makes text from other sources (file names, metadata, messages of libraries) safe to display.
///
/// Terminals obey control characters: they change colours, erase text and set titles, and a line break can forge a
/// line. Bidirectional overrides make one name look like another. Both become escapes such as `\u{1B}`.
package enum Printable {
    /// Escapes a text for one line, including line breaks and tabs.
    package static func line(_ text: String) -> String { escaped(text, keeping: "") }

    /// Escapes a text, but keeps its line breaks and tabs.
    package static func lines(_ text: String) -> String { escaped(text, keeping: "\n\t") }

    /// Uses JSON escapes, which keep the values of strings. Control characters below space must lie between values.
    package static func json(_ text: String) -> String {
        escaped(text, keeping: "\n") { "\\u" + NumberText.hexadecimal($0.value, digits: 4) }
    }

    /// C0, DEL and C1; line and paragraph separators; embeddings, overrides and isolates of bidirectional text.
    static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    private static func escaped(
        _ text: String, keeping kept: String,
        as escape: (Unicode.Scalar) -> String = { "\\u{\(String($0.value, radix: 16, uppercase: true))}" }
    ) -> String {
        guard text.unicodeScalars.contains(where: isUnsafe) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            let isEscaped = isUnsafe(scalar) && !kept.unicodeScalars.contains(scalar)
            if isEscaped { result += escape(scalar) } else { result.unicodeScalars.append(scalar) }
        }
        return result
    }
}

extension String {
    /// By scalars: as text, a sign is one character with an accent after it, or with a prefix (U+0600) before it.
    package func replacing(scalars old: String, with new: String) -> String {
        String(unicodeScalars.replacing(old.unicodeScalars, with: new.unicodeScalars))
    }
}
