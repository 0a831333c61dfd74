internal import ArgumentParser
internal import Glibc
internal import Logging
internal import VidscanAnalysis

/// How much is told, and how.
struct TellingOptions: ParsableArguments {
    @OptionGroup
    var settings: SettingArguments<MessageSettings>

    func overrides() -> [ResolvedSettings.Override] { settings.overrides }
}

extension TellingOptions {
    /// Of a command that has no other settings.
    ///
    /// - Throws: `ExitStatus`; why, has been told.
    func makeTeller() throws -> Teller {
        do {
            return try ResolvedSettings(workers: 1, overrides: overrides()).settings.messages.makeTeller()
        } catch {
            Output.error("vidscan: error: \(error)")
            throw ExitStatus.usage
        }
    }
}

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
