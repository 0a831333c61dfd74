internal import Foundation
internal import VidscanAnalysis
internal import VidscanBase
internal import VidscanBatch

/// Messages and progress on standard error: `vidscan: warning: …`, or one JSON object per line.
struct ConsoleLog: Sendable {
    enum Level: Int { case debug, info, warning, error }

    private let minimum: Level
    /// True on a terminal: progress then overwrites one line.
    private let showsProgressLine: Bool
    private let format: MessageOptions.Format
    /// In each JSON line, so that the lines of many machines and runs can share one log.
    private let origin: LogFields

    init(_ options: MessageOptions, shard: BatchShard? = nil) {
        origin = [
            "host": .text(Self.host), "run": .text(Self.run), "shard": shard.map { .text("\($0.index)/\($0.count)") },
        ]
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

    func callAsFunction(_ level: Level, _ event: LogLine, _ message: String, _ fields: LogFields = [:]) {
        guard level.rawValue >= minimum.rawValue else { return }
        guard format == .json else {
            let prefix = level == .warning || level == .error ? "\(level): " : ""
            return Output.error("vidscan: \(prefix)\(message)", overProgressLine: showsProgressLine)
        }
        var object = fields.merging(origin) { $1 }
        object["event"] = .text(event.rawValue)
        object["time"] = .text(Date().formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
        object["level"] = .text("\(level)")
        // People read the message, so it is escaped. Fields keep their exact values.
        object["message"] = .text(Printable.line(message))
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        // These types always encode.
        guard let data = try? encoder.encode(object.compactMapValues { $0 }) else { return }
        Output.jsonError(String(decoding: data, as: UTF8.self))
    }

    var progressInterval: Duration { showsProgressLine ? .milliseconds(100) : .seconds(30) }

    func progress(_ line: String, _ fields: LogFields = [:]) {
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
typealias LogFields = [String: JSONValue?]

extension JSONValue { static func seconds(_ value: Double) -> JSONValue { .number((value * 1000).rounded() / 1000) } }
