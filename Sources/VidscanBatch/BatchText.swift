/// Text that may hold anything, as a line of a message.
public enum OneLine {
    /// Control characters, line ends among them, as `\u{A}`: a file's name must not write to the terminal.
    public static func text(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else { return text }
        return text.unicodeScalars.map { scalar in
            scalar.properties.generalCategory == .control
                ? "\\u{\(String(scalar.value, radix: 16, uppercase: true))}" : String(scalar)
        }.joined()
    }
}

/// A field of a table, as RFC 4180 has it.
enum CSVField {
    static func quoted(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { ",\"\n\r".unicodeScalars.contains($0) }) else { return text }
        return "\"" + text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}
