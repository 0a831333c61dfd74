public import ArgumentParser
internal import Glibc
internal import Logging
public import VidscanAnalysis

/// How much is told, and how.
struct TellingOptions: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Tell errors only.")
    var quiet = false

    @Flag(name: .shortAndLong, help: "Tell details too.")
    var verbose = false

    @Option(help: .of("write.log_format"))
    var logFormat: MessageOptions.Format?

    func validate() throws {
        if quiet && verbose { throw ValidationError("--quiet and --verbose exclude each other.") }
    }

    func overrides() throws -> [ResolvedConfiguration.Override] {
        var list = OverrideList()
        if quiet { try list.add("write.messages", .text("quiet"), "--quiet") }
        if verbose { try list.add("write.messages", .text("verbose"), "--verbose") }
        try list.add("write.log_format", logFormat.map { .text($0.rawValue) }, "--log-format")
        return list.overrides
    }
}

extension TellingOptions {
    /// Of a command that has no other settings.
    ///
    /// - Throws: `ExitStatus`; why, has been told.
    func makeTeller() throws -> Teller {
        do {
            return try ResolvedConfiguration(workers: 1, overrides: overrides()).configuration.messages.makeTeller()
        } catch {
            Output.error("vidscan: error: \(error)")
            throw ExitStatus.usage
        }
    }
}

extension MessageOptions.Format: ExpressibleByArgument {}

extension MessageOptions {
    func makeTeller() -> Teller {
        let isTerminal = isatty(STDERR_FILENO) == 1 && format == .text && level != .quiet
        let logged: Logger.Level =
            switch level {
            case .quiet: .error
            case .normal: .info
            case .verbose: .debug
            }
        return Teller(
            log: MessageLog(format: format, level: logged, overProgressLine: isTerminal),
            showsProgressLine: isTerminal)
    }
}
