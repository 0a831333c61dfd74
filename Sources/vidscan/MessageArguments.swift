internal import ArgumentParser
internal import VidscanAnalysis

/// The options for the amount and the format of a command's messages.
struct MessageArguments: ParsableArguments {
    @OptionGroup
    var settings: SettingArguments<MessageSettings>

    func overrides() -> [ResolvedSettings.Override] { settings.overrides }
}

extension MessageArguments {
    /// Makes the reporter for a command without other settings.
    ///
    /// - Throws: `ExitStatus`, after printing the reason.
    func makeReporter() throws -> ConsoleReporter { ConsoleReporter(try options()) }

    /// The amount and the format of the messages of a command without other settings.
    ///
    /// - Throws: `ExitStatus`, after printing the reason.
    func options() throws -> MessageOptions {
        do {
            return try ResolvedSettings(workers: 1, overrides: overrides()).settings.messages
        } catch {
            Output.error("vidscan: error: \(error)")
            throw ExitStatus.usage
        }
    }
}
