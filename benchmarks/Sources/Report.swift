/// The measured figures as a Markdown table, ready for the README.
struct Report {
    struct Line {
        var what: String
        var measured: String
        var aim = ""
    }

    private(set) var lines: [Line] = []

    mutating func add(_ line: Line) {
        lines.append(line)
    }

    var markdown: String {
        (["| what | measured | aim |", "|---|---|---|"]
            + lines.map { "| \($0.what) | \($0.measured) | \($0.aim) |" })
            .joined(separator: "\n")
    }
}
