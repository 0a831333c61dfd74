internal import Foundation
internal import Logging
internal import VidscanAnalysis
internal import VidscanBase

/// Messages and progress on standard error, through swift-log: `vidscan: warning: …`, or one JSON object per line.
struct ConsoleLog: Sendable {
    private let logger: Logger
    /// Whether progress is a line that is overwritten. This is the case if standard error is a terminal.
    private let showsProgressLine: Bool

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
    }

    func debug(_ message: String, _ fields: [String: String] = [:]) { log(.debug, message, fields) }
    func info(_ message: String, _ fields: [String: String] = [:]) { log(.info, message, fields) }
    func warning(_ message: String, _ fields: [String: String] = [:]) { log(.warning, message, fields) }
    func error(_ message: String, _ fields: [String: String] = [:]) { log(.error, message, fields) }

    var isInfoEnabled: Bool { logger.logLevel <= .info }

    private func log(_ level: Logger.Level, _ message: String, _ fields: [String: String]) {
        logger.log(level: level, "\(message)", metadata: fields.mapValues { .string($0) })
    }

    // MARK: Progress

    /// The minimum time between two calls of `progress`.
    var progressInterval: Duration { showsProgressLine ? .milliseconds(100) : .seconds(30) }

    func progress(_ line: String, _ fields: [String: String] = [:]) {
        if showsProgressLine { Output.progress(line) } else { info(line, fields) }
    }

    func clearProgressLine() {
        if showsProgressLine { Output.progress("") }
    }

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
            var object: [String: String] = event.metadata?.mapValues { "\($0)" } ?? [:]
            object["time"] = Date().formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
            object["level"] = "\(event.level)"
            // The message is escaped because people read it. The fields keep their exact values.
            object["message"] = Printable.line("\(event.message)")
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            // Encoding strings never fails.
            if let data = try? encoder.encode(object) {
                Output.json(String(decoding: data, as: UTF8.self), to: STDERR_FILENO)
            }
        }
    }
}
