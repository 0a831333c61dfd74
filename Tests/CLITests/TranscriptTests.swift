import Foundation
import Testing
import TestSupport

/// The files in `Transcripts` are what a user sees: commands, each with its output and, unless it is 0, its exit status.
///
/// After a change that is meant, `VIDSCAN_RECORD=1 scripts/test --filter TranscriptTests` writes them anew; read the
/// difference before you commit it.
@Suite("What is printed is what the transcripts show")
struct TranscriptTests {
    private static let folder = Checkout.root + "/Tests/CLITests/Transcripts/"

    @Test(
        "Help, errors, messages and the lines of the log are as they were",
        arguments: ["help", "errors", "messages", "batch", "log", "privacy"])
    func transcript(_ name: String) throws {
        let path = Self.folder + name + ".txt"
        let expected = try String(contentsOfFile: path, encoding: .utf8)
        let folder = try TemporaryFolder()
        var actual = ""
        let blocks = Transcript.blocks(expected)
        try #require(blocks.contains { $0.command != nil })
        for block in blocks {
            actual += block.head
            guard let command = block.command else { continue }
            actual += Transcript.masked(try run(command, in: folder), folder: folder.path)
        }
        if ProcessInfo.processInfo.environment["VIDSCAN_RECORD"] != nil {
            try actual.write(toFile: path, atomically: true, encoding: .utf8)
        }
        let lines = (actual: actual.split(separator: "\n"), expected: expected.split(separator: "\n"))
        for difference in lines.actual.difference(from: lines.expected) {
            switch difference {
            case .insert(let line, let text, _): Issue.record("\(name).txt: new line \(line + 1): \(text)")
            case .remove(let line, let text, _): Issue.record("\(name).txt: missing line \(line + 1): \(text)")
            }
        }
    }

    @Test("The transcript of the help has every command that vidscan lists")
    func commands() throws {
        let transcript = try String(contentsOfFile: Self.folder + "help.txt", encoding: .utf8)
        var waiting: [[String]] = [[]]
        var count = 0
        while let words = waiting.popLast() {
            let command = (["vidscan"] + words + ["--help"]).joined(separator: " ")
            #expect(transcript.contains("$ \(command)\n"), "\(command)")
            count += 1
            let help = try Tool.shell("\"$0\" \(words.joined(separator: " ")) --help", in: try TemporaryFolder()).output
            let listed = help.components(separatedBy: "\nSUBCOMMANDS:\n").dropFirst().first ?? ""
            for line in listed.split(separator: "\n") {
                guard let name = line.wholeMatch(of: #/  ([a-z]+)( \(default\))?( .*)?/#)?.1 else { continue }
                waiting.append(words + [String(name)])
            }
        }
        #expect(count > 20)
    }

    /// Returns both outputs as a terminal shows them, and the status.
    private func run(_ command: String, in folder: TemporaryFolder) throws -> String {
        let setting = """
            exec 2>&1; export COLUMNS=80 SAMPLES='\(Checkout.samples)'; unset VIDSCAN_RECORD
            vidscan() { '\(Checkout.tool)' "$@"; }
            \(command)
            """
        let outcome = try ChildProcess.run(["bash", "-o", "pipefail", "-c", setting], in: folder.path)
        let lines = outcome.output.split(separator: "\n", omittingEmptySubsequences: false).filter {
            // Lines of progress come every ten seconds.
            !$0.contains(" frames/s  ") && !$0.contains("\"event\":\"progress\"")
                && !$0.contains(#/ left  [0-9:]+ of video/#)
        }
        var text = lines.joined(separator: "\n")
        if !text.isEmpty, !text.hasSuffix("\n") { text += "\n" }
        return text + (outcome.status == 0 ? "" : "[\(outcome.status)]\n")
    }
}

/// The text of a transcript: comments, and commands with their output.
private enum Transcript {
    struct Block {
        /// A comment, an empty line, or the line of the command.
        let head: String
        /// `nil` if there is none.
        let command: String?
    }

    /// The blocks without the output of the commands.
    static func blocks(_ text: String) -> [Block] {
        var blocks: [Block] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("$ ") {
                // Output may end with empty lines; one comes before each command.
                blocks.append(
                    Block(head: (blocks.isEmpty ? "" : "\n") + line + "\n", command: String(line.dropFirst(2))))
            } else if line.hasPrefix("## ") {
                blocks.append(Block(head: (blocks.isEmpty ? "" : "\n") + line + "\n", command: nil))
            }
        }
        return blocks
    }

    /// Replaces what differs from run to run or from machine to machine.
    static func masked(_ text: String, folder: String) -> String {
        text.replacing(folder, with: "$PWD")
            .replacing(Checkout.samples, with: "$SAMPLES")
            .replacing(Checkout.root, with: "$CHECKOUT")
            .replacing(/workers: [0-9]+ */, with: "workers: #  ")
            .replacing(#/, [0-9]+\.[0-9] s ->/#, with: ", # s ->")
            .replacing(/(hidden|visible|doubt) in [0-9]+ (of|frames?)/) { "\($0.1) in # \($0.2)" }
            .replacing(/score 0\.[0-9]+/, with: "score #")
            .replacing(/in (about [0-9:]+|less than a second)/, with: "in about #")
            .replacing(/[0-9]+(\.[0-9]+)? s \([0-9]+\.[0-9]× real time\)/, with: "# s (#× real time)")
            .replacing(#/ in [0-9]+\.[0-9] s/#, with: " in # s")
            .replacing(/of video in [0-9:]+/, with: "of video in #")
            .replacing(/"(time|host|run)":"[^"]*"/) { "\"\($0.1)\":\"#\"" }
            .replacing(/next in [0-9:]+/, with: "next in #")
            .replacing(/"(wall_seconds|elapsed_seconds)":[0-9.]+/) { "\"\($0.1)\":#" }
            .replacing(/[0-9]+\.[0-9]× real time/, with: "#× real time")
            .replacing(/vidscan [0-9]+\.[0-9]+\.[0-9]+/, with: "vidscan #")
    }
}
