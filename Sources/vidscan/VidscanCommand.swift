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
              vidscan schema                             what each column means
              vidscan doctor                             check the installation

            EXIT STATUS
            \(ExitStatus.meanings.map { "  \($0.code)\(String(repeating: " ", count: 5 - "\($0.code)".count))\($1)" }.joined(separator: "\n"))
            """,
        version: Vidscan.version,
        subcommands: [
            AnalyzeCommand.self, MergeCommand.self, BatchCommand.self, BatchWorkerCommand.self, RenderCommand.self,
            ReportCommand.self, SampleCommand.self, PipelinesCommand.self, FiltersCommand.self, SchemaCommand.self,
            DoctorCommand.self, GenerateCommand.self,
        ])

    /// Parses, runs, and ends with one of the exit statuses above.
    static func main() async {
        // Output into a closed pipe (`vidscan schema | head -1`) is no failure.
        signal(SIGPIPE, SIG_IGN)
        vs_limit_heaps(2)
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

    /// Tells what went wrong and gives the status to exit with.
    private static func report(_ error: any Error) -> Int32 {
        if let status = error as? ExitStatus { return status.code }
        if exitCode(for: error) == .success {
            Output.write(fullMessage(for: error) + "\n", to: STDOUT_FILENO)
            return 0
        }
        let isUsage = exitCode(for: error) == .validationFailure
        let message = message(for: error)
        let near =
            message.lowercased().contains("unexpected argument")
            ? (try? CommandHelp.root().suggestion(for: CommandLine.arguments.dropFirst())) ?? "" : ""
        Output.error("vidscan: error: \(message)\(near)" + (isUsage ? " (see '--help')" : ""))
        return isUsage ? ExitStatus.usage.code : ExitStatus.someFailed.code
    }
}

/// How the process ends, when it does not end well and all has been said already.
struct ExitStatus: Error {
    let code: Int32

    static let someFailed = ExitStatus(code: 1)
    static let usage = ExitStatus(code: 2)
    static let interrupted = ExitStatus(code: 130)

    static let meanings = [
        (ExitStatus(code: 0), "every input was processed"),
        (someFailed, "some inputs failed"),
        (usage, "wrong usage, or something is not installed"),
        (interrupted, "interrupted"),
    ]
}

/// Text to people and programs, whole lines at a time. All that goes to a terminal or a log passes here, where
/// characters that a terminal obeys are escaped.
enum Output {
    /// One line.
    static func standard(_ line: String) { put(Printable.line(line) + "\n", to: STDOUT_FILENO) }

    /// One line.
    ///
    /// - Parameter overProgressLine: a line of progress may stand there; it is cleared first.
    static func error(_ line: String, overProgressLine: Bool = false) {
        put((overProgressLine ? clearing : "") + Printable.line(line) + "\n", to: STDERR_FILENO)
    }

    /// A text of several lines.
    static func write(_ text: String, to descriptor: Int32) { put(Printable.lines(text), to: descriptor) }

    /// A line that holds one JSON document, or several lines that do.
    static func json(_ text: String, to descriptor: Int32) { put(Printable.json(text) + "\n", to: descriptor) }

    /// Replaces the line of progress on the terminal.
    static func progress(_ line: String) { put(clearing + Printable.line(line), to: STDERR_FILENO) }

    /// To the line's begin, and erase it.
    private static let clearing = "\r\u{1B}[K"

    private static func put(_ text: String, to descriptor: Int32) {
        var text = text
        text.withUTF8 { bytes in
            var written = 0
            while written < bytes.count {
                let count = Glibc.write(descriptor, bytes.baseAddress.map { $0 + written }, bytes.count - written)
                if count < 0 && errno == EINTR { continue }
                // The reader has gone: it has seen what it wanted.
                if count < 0 && errno == EPIPE && descriptor == STDOUT_FILENO { exit(0) }
                if count <= 0 { return }
                written += count
            }
        }
    }
}
