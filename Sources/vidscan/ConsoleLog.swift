internal import Foundation
internal import Logging
internal import VidscanAnalysis
internal import VidscanBase

/// Messages and progress on standard error, through swift-log: `vidscan: warning: …`, or one JSON object per line.
struct ConsoleLog: Sendable {
    private let logger: Logger
    /// Whether progress is a line that is overwritten. This is the case if standard error is a terminal.
    private let showsProgressLine: Bool
    private let format: MessageOptions.Format

    init(_ options: MessageOptions) {
        let showsProgressLine = isatty(STDERR_FILENO) == 1 && options.format == .text && options.level != .quiet
        var logger = Logger(label: "vidscan") { _ in
            StandardErrorHandler(format: options.format, overProgressLine: showsProgressLine)
        }
        logger.logLevel =
            switch options.level {
            case .quiet: .error
            case .normal: .info
            case .verbose: .debug
            }
        self.logger = logger
        self.showsProgressLine = showsProgressLine
        format = options.format
    }

    func debug(_ event: LogLine, _ message: String, _ fields: LogFields = [:]) { log(.debug, event, message, fields) }
    func info(_ event: LogLine, _ message: String, _ fields: LogFields = [:]) { log(.info, event, message, fields) }
    func warning(_ event: LogLine, _ message: String, _ fields: LogFields = [:]) {
        log(.warning, event, message, fields)
    }
    func error(_ event: LogLine, _ message: String, _ fields: LogFields = [:]) { log(.error, event, message, fields) }

    /// Reports a detail that is worth a line in a log, and too much on a terminal.
    func record(_ event: LogLine, _ message: String, _ fields: LogFields) {
        log(format == .json ? .info : .debug, event, message, fields)
    }

    var isInfoEnabled: Bool { logger.logLevel <= .info }

    private func log(_ level: Logger.Level, _ event: LogLine, _ message: String, _ fields: LogFields) {
        var fields = fields
        fields["event"] = .text(event.rawValue)
        logger.log(
            level: level, "\(message)", metadata: fields.mapValues { .stringConvertible(LoggedValue(value: $0)) })
    }

    // MARK: Progress

    /// The minimum time between two calls of `progress`.
    var progressInterval: Duration { showsProgressLine ? .milliseconds(100) : .seconds(30) }

    func progress(_ line: String, _ fields: LogFields = [:]) {
        if showsProgressLine { Output.progress(line) } else { info(.progress, line, fields) }
    }

    func clearProgressLine() {
        if showsProgressLine { Output.progress("") }
    }

}

/// A value that keeps its type on its way through swift-log.
private struct LoggedValue: CustomStringConvertible, Sendable {
    let value: JSONValue

    var description: String { "\(value)" }
}

private struct StandardErrorHandler: LogHandler {
    let format: MessageOptions.Format
    let overProgressLine: Bool
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        switch format {
        case .text:
            let prefix = event.level >= .warning ? "\(event.level): " : ""
            Output.error("vidscan: \(prefix)\(event.message)", overProgressLine: overProgressLine)
        case .json:
            var object: LogFields = (event.metadata ?? [:]).compactMapValues { value in
                guard case .stringConvertible(let logged as LoggedValue) = value else { return nil }
                return logged.value
            }
            object["time"] = .text(Date().formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
            object["level"] = .text("\(event.level)")
            // The message is escaped because people read it. The fields keep their exact values.
            object["message"] = .text(Printable.line("\(event.message)"))
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            encoder.nonConformingFloatEncodingStrategy = .convertToString(
                positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
            // Encoding values of these types cannot fail.
            if let data = try? encoder.encode(object) {
                Output.jsonError(String(decoding: data, as: UTF8.self))
            }
        }
    }
}
