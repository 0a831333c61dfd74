internal import ArgumentParser
internal import CLinux
internal import Glibc
internal import VidscanBase

@main
struct VidscanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vidscan",
        abstract: "Detects and tracks every face in a video and writes a time series for each.",
        discussion: """
            EXAMPLES
              vidscan analyze movie.mp4                  a result in movie.mp4.vidscan/
              vidscan analyze *.mp4 --output results     one result per video
              vidscan analyze a.mp4 --pipeline thorough  settings from a pipeline
              vidscan render movie.mp4.vidscan           the video with its faces marked
              vidscan verify anonymized.mp4              look again for faces
              vidscan schema                             what each column means
              vidscan doctor                             check the installation

            EXIT STATUS
            \(ExitStatus.meanings.map { "  \($0.code)\(String(repeating: " ", count: 5 - "\($0.code)".count))\($1)" }.joined(separator: "\n"))
            """,
        version: Vidscan.version,
        subcommands: [
            AnalyzeCommand.self, MergeCommand.self, BatchCommand.self, BatchWorkerCommand.self, RenderCommand.self,
            VerifyCommand.self, ReportCommand.self, ApplyCommand.self, ExportCommand.self, PeopleCommand.self,
            SampleCommand.self,
            PipelinesCommand.self,
            FiltersCommand.self,
            SchemaCommand.self,
            DoctorCommand.self, GenerateCommand.self,
        ])

    /// Parses the command line, runs the command, and exits with one of the statuses above.
    static func main() async {
        // Writing to a closed pipe (`vidscan schema | head -1`) is not an error.
        signal(SIGPIPE, SIG_IGN)
        vs_limit_heaps(4)
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            Glibc.exit(Self.report(error))
        }
    }

    /// Prints an error and returns the exit status.
    private static func report(_ error: any Error) -> Int32 {
        if let status = error as? ExitStatus { return status.code }
        if exitCode(for: error) == .success {
            // Describing all commands takes as long as everything else that '--version' does.
            if CommandLine.arguments.dropFirst().first == "help",
                let problem = try? CommandHelp.root().unknownTopic(of: CommandLine.arguments.dropFirst())
            {
                Output.error("vidscan: error: \(problem) (see --help)")
                return ExitStatus.usage.code
            }
            if BatchCommand.isHelpRequest(CommandLine.arguments.dropFirst()) {
                Output.write(BatchCommand.help, to: STDOUT_FILENO)
                return 0
            }
            Output.write(fullMessage(for: error) + "\n", to: STDOUT_FILENO)
            return 0
        }
        let isUsage = exitCode(for: error) == .validationFailure
        let message = UsageMessage(message(for: error), of: CommandLine.arguments.dropFirst())
        Output.error("vidscan: error: \(isUsage ? message.text + " (see --help)" : message.original)")
        return isUsage ? ExitStatus.usage.code : ExitStatus.someFailed.code
    }
}

/// The exit status of a command that did not succeed. Everything has been reported before it is thrown.
struct ExitStatus: Error {
    let code: Int32

    static let someFailed = ExitStatus(code: 1)
    static let usage = ExitStatus(code: 2)
    static let interrupted = ExitStatus(code: 130)

    static let meanings = [
        (ExitStatus(code: 0), "no input failed"),
        (someFailed, "some inputs failed"),
        (usage, "wrong usage, or something is not installed"),
        (interrupted, "interrupted"),
    ]
}

/// Writes text to standard output and standard error, whole lines at a time. All text for a terminal or a log goes
/// through here, and control characters that a terminal interprets are escaped.
enum Output {
    /// Writes one line to standard output.
    static func standard(_ line: String) { put(Printable.line(line) + "\n", to: STDOUT_FILENO) }

    /// Writes one line to standard error.
    ///
    /// - Parameter overProgressLine: Whether to clear a progress line first.
    static func error(_ line: String, overProgressLine: Bool = false) {
        put((overProgressLine ? clearing : "") + Printable.line(line) + "\n", to: STDERR_FILENO)
    }

    /// Writes a text of several lines.
    static func write(_ text: String, to descriptor: Int32) { put(Printable.lines(text), to: descriptor) }

    /// Writes one JSON document on one or more lines.
    static func json(_ text: String, to descriptor: Int32) { put(Printable.json(text) + "\n", to: descriptor) }

    /// Overwrites the progress line on the terminal.
    static func progress(_ line: String) { put(clearing + Printable.line(line), to: STDERR_FILENO) }

    /// Moves the cursor to the start of the line and clears the line.
    private static let clearing = "\r\u{1B}[K"

    private static func put(_ text: String, to descriptor: Int32) {
        var text = text
        text.withUTF8 { bytes in
            var written = 0
            while written < bytes.count {
                let count = Glibc.write(descriptor, bytes.baseAddress.map { $0 + written }, bytes.count - written)
                if count < 0 && errno == EINTR { continue }
                // The reader has closed the pipe because it needs no more output.
                if count < 0 && errno == EPIPE && descriptor == STDOUT_FILENO { exit(0) }
                if count <= 0 { return }
                written += count
            }
        }
    }
}
