/// A CSV field (RFC 4180) with text that vidscan did not write: names of files, and reasons of failures.
package enum CSVField {
    /// Escapes control characters, and puts an apostrophe before text that a spreadsheet would run as a formula (CSV
    /// injection, as OWASP describes it).
    package static func text(_ text: String) -> String {
        let line = Printable.line(text)
        let startsFormula = line.unicodeScalars.first.map { formulaPrefixes.contains($0) } ?? false
        let safe = startsFormula ? "'" + line : line
        // Some spreadsheets split at semicolons, except in quotes.
        guard safe.unicodeScalars.contains(where: { ",;\"".unicodeScalars.contains($0) }) else { return safe }
        return "\"" + safe.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }

    /// The last four are full-width forms. Tabs and line ends, which are dangerous too, are escaped before.
    private static let formulaPrefixes = Set("=+-@＝＋－＠".unicodeScalars)
}
