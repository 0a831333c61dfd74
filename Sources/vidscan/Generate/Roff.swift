/// Text for `man`, in the macros of man(7).
struct Roff {
    private(set) var text = ""

    /// Appends a line with a macro and its quoted arguments.
    mutating func macro(_ name: String, _ arguments: String...) {
        text += ([".\(name)"] + arguments.map { "\"\(Self.escaped($0))\"" }).joined(separator: " ") + "\n"
    }

    mutating func section(_ title: String) { macro("SH", title) }

    mutating func subsection(_ title: String) { macro("SS", title) }

    mutating func paragraph(_ words: String) {
        macro("PP")
        line(words)
    }

    /// Appends terms in bold, each with its value in italics, and their description.
    mutating func item(_ terms: [(name: String, value: String)], _ words: String) {
        macro("TP")
        text +=
            terms.map { term in
                let name = term.name.isEmpty ? "" : "\\fB\(Self.escaped(term.name))\\fR"
                let value = term.value.isEmpty ? "" : "\\fI\(Self.escaped(term.value))\\fR"
                return [name, value].filter { !$0.isEmpty }.joined(separator: " ")
            }.joined(separator: ", ") + "\n"
        line(words)
    }

    /// Appends lines that are not filled.
    mutating func example(_ lines: [String]) {
        macro("PP")
        macro("EX")
        for line in lines { self.line("  " + line) }
        macro("EE")
    }

    /// Appends one line of text, which may start with any character.
    mutating func line(_ words: String) {
        let escaped = Self.escaped(words.replacing("\n", with: " "))
        text += (escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&" : "") + escaped + "\n"
    }

    private static func escaped(_ words: String) -> String {
        words.unicodeScalars.map { scalar in
            switch scalar {
            case "\\": "\\e"
            case "-": "\\-"
            case "\"": "\\(dq"
            case "'": "\\(aq"
            case "^": "\\(ha"
            case "~": "\\(ti"
            case "`": "\\(ga"
            default:
                scalar.isASCII ? "\(scalar)" : "\\[u\(String(scalar.value, radix: 16, uppercase: true).padded(to: 4))]"
            }
        }.joined()
    }
}

extension String {
    fileprivate func padded(to count: Int) -> String {
        String(repeating: "0", count: max(0, count - self.count)) + self
    }
}
