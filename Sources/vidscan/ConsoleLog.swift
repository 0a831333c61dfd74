internal import Foundation
internal import Synchronization
internal import VidscanAnalysis
internal import VidscanBase
internal import VidscanBatch

/// Messages and progress on standard error: `vidscan: warning: …`, or one JSON object per line.
final class ConsoleLog: Sendable {
    enum Level: Int { case debug, info, warning, error }

    private let minimum: Level
    /// True on a terminal: progress then overwrites one line.
    private let showsProgressLine: Bool
    private let format: MessageOptions.Format
    /// In each JSON line, so that the lines of many machines and runs can share one log.
    private let origin: LogFields
    private let lastProgress = Mutex(ContinuousClock.now - .seconds(60))

    init(_ options: MessageOptions, shard: BatchShard? = nil) {
        origin = ["host": Self.host, "run": Self.run, "shard": shard.map { "\($0.index)/\($0.count)" }]
        showsProgressLine = isatty(STDERR_FILENO) == 1 && options.format == .text && options.level != .quiet
        format = options.format
        minimum =
            switch options.level {
            case .quiet: .error
            case .normal: .info
            case .verbose: .debug
            }
    }

    private static let host = (FileSystem.text("/proc/sys/kernel/hostname") ?? "").trimmingCharacters(in: .newlines)
    private static let run = NumberText.hexadecimal(UInt64.random(in: .min ... .max), digits: 16)

    /// The level of details that belong in a log, but not on a terminal.
    var detail: Level { format == .json ? .info : .debug }
    var isInfoEnabled: Bool { minimum.rawValue <= Level.info.rawValue }

    /// A message about an input or a result begins with its name.
    func callAsFunction(
        _ level: Level, _ event: LogLine, input: String? = nil, result: String? = nil, _ text: String,
        _ fields: LogFields = [:]
    ) {
        guard level.rawValue >= minimum.rawValue else { return }
        let message = ((input ?? result).map { "\($0): " } ?? "") + text
        guard format == .json else {
            let prefix = level == .warning || level == .error ? "\(level): " : ""
            return Output.error("vidscan: \(prefix)\(message)", overProgressLine: showsProgressLine)
        }
        let common: LogFields = [
            "event": event.rawValue, "level": "\(level)", "input": input, "result": result,
            "time": Date().formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)),
            // People read the message, so it is escaped. Fields keep their exact values.
            "message": Printable.line(message),
        ]
        let object = [fields, origin, common].reduce(into: [:]) { object, more in
            object.merge(more.compactMapValues { $0?.json }) { $1 }
        }
        Output.jsonError(JSONValue.object(object).encoded())
    }

    /// The next progress is shown after the usual time.
    func holdProgress() { lastProgress.withLock { $0 = .now } }

    /// Makes and shows a line of progress, unless the last one was shown a moment ago.
    func progress(_ make: () -> (line: String, fields: LogFields)) {
        guard isInfoEnabled else { return }
        let now = ContinuousClock.now
        let isDue = lastProgress.withLock { last in
            guard now - last >= (showsProgressLine ? .milliseconds(100) : .seconds(30)) else { return false }
            last = now
            return true
        }
        guard isDue else { return }
        let (line, fields) = make()
        if showsProgressLine { Output.progress(line) } else { self(.info, .progress, line, fields) }
    }

    func clearProgressLine() { if showsProgressLine { Output.progress("") } }
}

/// Names a JSON line; `docs/log.schema.json` lists the fields of each.
enum LogLine: String, CaseIterable {
    // One input.
    case opened, warning, note, failed, postponed, skipped
    case fileDone = "file_done"
    /// Inputs that do not exist any more.
    case gone, forgotten
    // Made from a result.
    case rendered, reported, exported, corrected, verified, published
    // Several inputs.
    case started, reading, progress, waiting, finished, interrupted, stopped
    case retryLater = "retry_later"
    case quarantined
    /// Removed because of age.
    case pruned
    /// Who is who in several videos, or whose traces were removed.
    case people
    /// How well a person of the input was measured.
    case person
    case message
}

/// Leaves out a field without a value.
typealias LogFields = [String: (any LogValue)?]

protocol LogValue: Sendable { var json: JSONValue { get } }
extension String: LogValue { var json: JSONValue { .text(self) } }
extension Int: LogValue { var json: JSONValue { .integer(self) } }
extension Bool: LogValue { var json: JSONValue { .flag(self) } }
/// Seconds or fractions.
extension Double: LogValue { var json: JSONValue { .number((self * 1000).rounded() / 1000) } }
