public import ArgumentParser
public import VidscanPipeline

/// How much a command reports, and in which format.
struct MessageArguments: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Report errors only.")
    var quiet = false

    @Flag(name: .shortAndLong, help: "Report details too.")
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

extension MessageArguments {
    /// The reporter of a command that has no other settings.
    ///
    /// - Throws: `ExitStatus`, after printing the reason.
    func makeReporter() throws -> ConsoleReporter {
        do {
            return ConsoleReporter(try ResolvedConfiguration(workers: 1, overrides: overrides()).configuration.messages)
        } catch {
            Output.error("vidscan: error: \(error)")
            throw ExitStatus.usage
        }
    }
}

extension MessageOptions.Format: ExpressibleByArgument {}
