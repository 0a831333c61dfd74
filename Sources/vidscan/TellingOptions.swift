internal import ArgumentParser
internal import Glibc
internal import Logging

/// How much is told, and how.
struct TellingOptions: ParsableArguments {
    enum LogFormat: String, CaseIterable, ExpressibleByArgument {
        case text, json
    }

    @Flag(name: .shortAndLong, help: "Tell errors only.")
    var quiet = false

    @Flag(name: .shortAndLong, help: "Tell details too.")
    var verbose = false

    @Option(help: "Messages as text, or as one JSON object a line.")
    var logFormat: LogFormat = .text

    func validate() throws {
        if quiet && verbose { throw ValidationError("--quiet and --verbose exclude each other.") }
    }

    func makeTeller() -> Teller {
        let isTerminal = isatty(STDERR_FILENO) == 1 && logFormat == .text && !quiet
        return Teller(
            log: MessageLog(
                format: logFormat, level: quiet ? .error : verbose ? .debug : .info, overProgressLine: isTerminal),
            showsProgressLine: isTerminal)
    }
}
