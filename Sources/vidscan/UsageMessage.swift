internal import VidscanBase

/// The argument parser's message for wrong usage on one line, and the probable intention.
struct UsageMessage {
    let original: String
    private let words: ArraySlice<String>

    init(_ original: String, of commandLine: ArraySlice<String>) {
        self.original = original
        words = commandLine.prefix { $0 != "--" }
    }

    var text: String {
        // The parser explains one word on several lines. The first is about the whole word.
        var line = original[..<(original.firstRange(of: "\n   or: ")?.lowerBound ?? original.endIndex)]
        if let (option, meant) = foreignOption { return "Unknown option '\(option)'; did you mean '\(meant)'?" }
        let subcommand = line.hasPrefix("Unknown option") ? BatchChecks.suggestion(for: words) : ""
        // A similar option would mislead here.
        if !subcommand.isEmpty, let end = line.firstRange(of: ". Did you mean") { line = line[..<end.lowerBound] }
        let hints = command + subcommand + file
        return (hints.isEmpty || line.last != "." ? String(line) : String(line.dropLast())) + hints
    }

    /// Options of other programs, and their equivalents.
    private static let foreignOptions = [
        "--fps": "--rate", "--framerate": "--rate", "--frame-rate": "--rate", "--sample-rate": "--rate",
        "--out": "--output", "--output-dir": "--output", "--outdir": "--output", "--overwrite": "--force",
    ]

    private var foreignOption: (option: String, meant: String)? {
        guard
            let (option, meant) = Self.foreignOptions.first(where: { original.hasPrefix("Unknown option '\($0.key)'") }
            ),
            let command = try? CommandHelp.root().command(of: words),
            command.arguments?.contains(where: { $0.names?.contains { $0.spelled == meant } == true }) == true
        else { return nil }
        return (option, meant)
    }

    /// The probable command, or empty.
    private var command: String {
        guard original.lowercased().contains("unexpected argument") else { return "" }
        return (try? CommandHelp.root().suggestion(for: words)) ?? ""
    }

    /// Advice about a file whose name was taken for options, or empty.
    private var file: String {
        for word in words where word.hasPrefix("-") && word.count > 1 && !word.contains("=") {
            let entry = FileSystem.entry(word)
            guard entry != nil || !word.hasPrefix("--") && word.dropFirst().contains(".") && Double(word) == nil else {
                continue
            }
            return "; if \(word) is a \(entry == .folder ? "folder" : "file"), write ./\(word)"
        }
        return ""
    }
}
