internal import ArgumentParser
internal import CLinux
internal import Glibc
internal import VidscanAnalysis
internal import VidscanBase

@main
struct VidscanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vidscan", abstract: "Detects and tracks every face in a video and writes a time series for each.",
        discussion: """
            EXAMPLES
              vidscan analyze movie.mp4                  a result in movie.mp4.vidscan/
              vidscan analyze *.mp4 --output results     one result per video
              vidscan analyze a.mp4 --pipeline thorough  settings from a pipeline
              vidscan render movie.mp4.vidscan           the video with its faces marked
              vidscan verify anonymized.mp4              search a video for visible faces
              vidscan schema                             what each column means
              vidscan doctor                             check the installation

            EXIT STATUS
              0    no input failed
              1    some inputs failed
              2    wrong usage, or something is not installed
              130  interrupted
            """,
        version: Vidscan.version,
        subcommands: [
            AnalyzeCommand.self, MergeCommand.self, BatchCommand.self, BatchWorkerCommand.self, RenderCommand.self,
            CoversCommand.self, VerifyCommand.self, ReportCommand.self, ApplyCommand.self, ExportCommand.self,
            InteractCommand.self, CiteCommand.self, PeopleCommand.self, SampleCommand.self, PipelinesCommand.self,
            FiltersCommand.self, SchemaCommand.self, DoctorCommand.self,
        ])

    static func main() async {
        Output.prepare()
        // Without it, Swift finds no arguments, and nothing can be written below an open folder.
        guard FileSystem.entry("/proc/self/fd") == .folder else {
            Output.error("vidscan: error: /proc is not mounted; mount it: mount -t proc proc /proc")
            Glibc.exit(ExitStatus.usage.rawValue)
        }
        let words = CommandLine.arguments
        for index in words.indices.dropFirst() where words[index - 1...index].contains(where: { $0.hasPrefix("-") }) {
            guard let word = CommandLine.unsafeArgv[index], String(validatingCString: word) == nil else { continue }
            // It would name another file. Inputs are checked one by one.
            Output.error("vidscan: error: an argument is not valid UTF-8: \(words[index])")
            Glibc.exit(ExitStatus.usage.rawValue)
        }
        vs_limit_heaps(4)
        var status: Int32 = 0
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try SystemThread.checkAvailability()
                try await command.run()
            } else {
                try command.run()
            }
        } catch { status = report(error) }
        Output.finish()
        Glibc.exit(status)
    }

    /// Prints why the command ends, and returns its exit status.
    static func report(_ error: any Error) -> Int32 {
        if let status = error as? ExitStatus { return status.rawValue }
        let known = error as? VidscanError
        if known != nil || error is SettingsError || error is PipelineFileError {
            complain("\(error)")
            return (known.map(ExitStatus.after) ?? .usage).rawValue
        }
        let arguments = CommandLine.arguments.dropFirst()
        if exitCode(for: error) == .success {
            // Describing all commands takes as long as everything else in '--version'.
            if arguments.first == "help", let problem = try? CommandHelp.root().unknownTopic(arguments.dropFirst()) {
                complain("\(problem) (see --help)")
                return ExitStatus.usage.rawValue
            }
            let words = arguments.prefix { $0 != "--" }
            // The parser reads -high.mp4 as -h and other options of one letter.
            if let word = words.first(where: { $0.wholeMatch(of: /-[^-=].+/) != nil && $0.contains("h") }),
                !words.contains(where: { ["-h", "--help", "--version"].contains($0) })
            {
                complain(UsageMessage(original: "Unknown option '\(word)'", words: words).text + " (see --help)")
                return ExitStatus.usage.rawValue
            }
            let isBatch = [["batch", "--help"], ["batch", "-h"], ["help", "batch"]].contains(Array(arguments))
            Output.write(isBatch ? BatchCommand.help : fullMessage(for: error) + "\n")
            return 0
        }
        let isUsage = exitCode(for: error) == .validationFailure
        let message = UsageMessage(original: message(for: error), words: arguments.prefix { $0 != "--" })
        complain(isUsage ? message.text + " (see --help)" : message.original)
        return isUsage ? ExitStatus.usage.rawValue : ExitStatus.someFailed.rawValue
    }

    /// Reports the error that ended the command, as JSON if its log was to be JSON.
    private static func complain(_ problem: String) {
        let isJSON = CommandLine.arguments.joined(separator: " ").contains(/\ --log-format[= ]json\b/)
        ConsoleLog(MessageOptions(format: isJSON ? .json : .text))(.error, .stopped, problem)
    }
}

/// The status of a command that failed and has reported why.
enum ExitStatus: Int32, Error {
    case someFailed = 1, usage = 2, interrupted = 130

    static func after(_ error: VidscanError) -> ExitStatus {
        switch error.code {
        case .interrupted: interrupted
        case .input, .setup, .exists: usage
        default: someFailed
        }
    }

    /// Reports an error of the closure, and throws this status.
    func onError<Value>(_ reporter: ConsoleReporter, _ work: () throws -> Value) throws -> Value {
        do { return try work() } catch {
            reporter.failed(error)
            throw self
        }
    }
}

/// Writes lines to standard output and error. Escapes control characters: all text for a terminal or a log passes here.
///
/// If standard output fails, the program ends: silently with status 0 when its reader has closed the pipe (`vidscan
/// schema | head -1`), otherwise with an error and status 1, because standard output carries data.
enum Output {
    static func standard(_ line: String) { print(Array((Printable.line(line) + "\n").utf8)) }

    static func write(_ text: String) { print(Array(Printable.lines(text).utf8)) }
    static func json(_ text: String) { print(Array((Printable.json(text) + "\n").utf8)) }

    /// Already escaped.
    static func print(_ bytes: [UInt8]) {
        do throws(SystemError) { try FileSystem.write(bytes, to: STDOUT_FILENO) } catch { fail(error) }
    }

    static func error(_ line: String, overProgressLine: Bool = false) {
        report((overProgressLine ? clearing : "") + Printable.line(line) + "\n")
    }

    static func jsonError(_ text: String) { report(Printable.json(text) + "\n") }
    static func progress(_ line: String) { report("\(clearing)\u{1B}[?7l\(Printable.line(line))\u{1B}[?7h") }

    /// Call before anything is opened.
    static func prepare() {
        signal(SIGPIPE, SIG_IGN)
        // If the caller ignores it, nothing is known of how workers end.
        signal(SIGCHLD, SIG_DFL)
        // A file that gets the number of a closed descriptor would receive messages. Each opens for the wrong
        // direction, so that using it remains an error.
        for (descriptor, access) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
        where fcntl(descriptor, F_GETFD) < 0 { _ = open("/dev/null", access) }
    }

    /// Some file systems report a full disk only when closing.
    static func finish() { if close(STDOUT_FILENO) != 0 { fail(.current) } }

    /// To the start of the line, then clear it.
    private static let clearing = "\r\u{1B}[K"

    /// An error on standard error cannot be reported.
    private static func report(_ text: String) { try? FileSystem.write(Array(text.utf8), to: STDERR_FILENO) }

    private static func fail(_ error: SystemError) -> Never {
        if error.number == EPIPE { exit(0) }
        self.error("vidscan: error: cannot write to standard output: \(error)")
        exit(ExitStatus.someFailed.rawValue)
    }
}
