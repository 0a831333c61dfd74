internal import VidscanBase

/// The name of a person that a user gives, for tables and pages.
package enum Pseudonym {
    /// Whether a text can be a name: 1 to 100 characters, not only spaces, without control characters and quotation
    /// marks.
    package static func isValid(_ name: String) -> Bool {
        !name.isEmpty && name.count <= 100 && name.utf8.count <= 400 && Printable.line(name) == name
            && !name.contains("\"") && name.contains { !$0.isWhitespace }
    }
}
