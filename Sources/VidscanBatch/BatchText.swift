internal import VidscanBase

/// A field of a table, as RFC 4180 has it, with text from elsewhere in it: names of files, reasons of failures.
enum CSVField {
    /// The text without control characters, and safe in a spreadsheet, which would take one that begins like a formula
    /// for a formula: such a text gets an apostrophe before it (CSV injection, as OWASP describes it).
    static func text(_ text: String) -> String {
        let line = Printable.line(text)
        let beginsFormula = line.unicodeScalars.first.map { formulaBegins.contains($0) } ?? false
        let safe = beginsFormula ? "'" + line : line
        // Some spreadsheets divide at semicolons: one between quotes is left alone.
        guard safe.unicodeScalars.contains(where: { ",;\"".unicodeScalars.contains($0) }) else { return safe }
        return "\"" + safe.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }

    /// The last four are the wide forms that some keyboards type. A tab or a line end, which count too, is escaped.
    private static let formulaBegins = Set("=+-@＝＋－＠".unicodeScalars)
}

/// Parts of a path. Foundation's own trap on a name of a single letter.
enum PathText {
    /// `c.mp4` of `/a/b/c.mp4`
    static func name(_ path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? path
    }

    /// `a/b` of `a/b/c.mp4`; empty when there is no folder.
    static func parent(_ path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
    }

    /// `mp4` of `c.MP4`; empty when there is none.
    static func ending(_ path: String) -> String {
        let name = name(path)
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "" }
        return name[name.index(after: dot)...].lowercased()
    }

    /// Without `.`, `..` and doubled slashes, as far as names alone tell.
    static func absolute(_ path: String, in folder: String) -> String {
        var parts: [Substring] = []
        for part in (path.hasPrefix("/") ? path : "\(folder)/\(path)").split(separator: "/") where part != "." {
            if part == ".." { parts = parts.dropLast() } else { parts.append(part) }
        }
        return "/" + parts.joined(separator: "/")
    }
}
