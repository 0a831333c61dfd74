internal import CLinux
internal import Glibc
internal import VidscanBase

/// The message for wrong usage: that of the argument parser on one line, and what was probably meant.
struct UsageMessage {
    /// The message of the argument parser.
    let original: String
    private let words: ArraySlice<String>

    /// - Parameters:
    ///   - original: The message of the argument parser.
    ///   - commandLine: The command line without the program.
    init(_ original: String, of commandLine: ArraySlice<String>) {
        self.original = original
        words = commandLine.prefix { $0 != "--" }
    }

    var text: String {
        // The parser lists several explanations of one word on lines of their own. The first one is about the whole word.
        var line = original[..<(original.firstRange(of: "\n   or: ")?.lowerBound ?? original.endIndex)]
        if let (option, meant) = foreignOption { return "Unknown option '\(option)'; did you mean '\(meant)'?" }
        let subcommand = line.hasPrefix("Unknown option") ? BatchChecks.suggestion(for: words) : ""
        // An option that is similar is not what was meant.
        if !subcommand.isEmpty, let end = line.firstRange(of: ". Did you mean") { line = line[..<end.lowerBound] }
        let hints = command + subcommand + file
        return (hints.isEmpty || line.last != "." ? String(line) : String(line.dropLast())) + hints
    }

    /// The options of other programs for what an option of vidscan does.
    private static let foreignOptions = [
        "--fps": "--rate", "--framerate": "--rate", "--frame-rate": "--rate", "--sample-rate": "--rate",
        "--out": "--output", "--output-dir": "--output", "--outdir": "--output", "--overwrite": "--force",
    ]

    /// An unknown option, and the one that was probably meant, if the command has it.
    private var foreignOption: (option: String, meant: String)? {
        guard
            let (option, meant) = Self.foreignOptions.first(where: { original.hasPrefix("Unknown option '\($0.key)'") }
            ),
            let command = try? CommandHelp.root().command(of: words),
            command.arguments?.contains(where: { $0.names?.contains { $0.spelled == meant } == true }) == true
        else { return nil }
        return (option, meant)
    }

    /// The command that was probably meant; empty if there is none.
    private var command: String {
        guard original.lowercased().contains("unexpected argument") else { return "" }
        return (try? CommandHelp.root().suggestion(for: words)) ?? ""
    }

    /// What to do about a file whose name was taken for options; empty if there is none.
    private var file: String {
        for word in words where word.hasPrefix("-") && word.count > 1 && !word.contains("=") {
            var status = stat()
            let exists = stat(word, &status) == 0
            guard exists || !word.hasPrefix("--") && word.dropFirst().contains(".") && Double(word) == nil else {
                continue
            }
            let kind = exists && status.st_mode & S_IFMT == S_IFDIR ? "folder" : "file"
            return "; if \(word) is a \(kind), write ./\(word)"
        }
        return ""
    }
}
