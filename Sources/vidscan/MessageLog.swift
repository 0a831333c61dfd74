internal import Foundation
internal import Logging
internal import VidscanAnalysis
internal import VidscanBase

/// Messages on standard error, through swift-log: `vidscan: warning: …`, or a JSON object a line.
struct MessageLog: Sendable {
    private let logger: Logger

    /// - Parameter overProgressLine: a line of progress may stand where the message goes; it is cleared first.
    init(format: MessageOptions.Format, level: Logger.Level, overProgressLine: Bool) {
        var logger = Logger(label: "vidscan") { _ in
            StandardErrorHandler(format: format, overProgressLine: overProgressLine)
        }
        logger.logLevel = level
        self.logger = logger
    }

    func debug(_ message: String, _ facts: [String: String] = [:]) { log(.debug, message, facts) }
    func info(_ message: String, _ facts: [String: String] = [:]) { log(.info, message, facts) }
    func warning(_ message: String, _ facts: [String: String] = [:]) { log(.warning, message, facts) }
    func error(_ message: String, _ facts: [String: String] = [:]) { log(.error, message, facts) }

    var tellsInfo: Bool { logger.logLevel <= .info }

    private func log(_ level: Logger.Level, _ message: String, _ facts: [String: String]) {
        logger.log(level: level, "\(message)", metadata: facts.mapValues { .string($0) })
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
            let mark = event.level >= .warning ? "\(event.level): " : ""
            Output.error("vidscan: \(mark)\(event.message)", overProgressLine: overProgressLine)
        case .json:
            var object: [String: String] = event.metadata?.mapValues { "\($0)" } ?? [:]
            object["time"] = Date().formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
            object["level"] = "\(event.level)"
            // The message is for people; the facts keep their values.
            object["message"] = Printable.line("\(event.message)")
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            // Strings always encode.
            if let data = try? encoder.encode(object) {
                Output.json(String(decoding: data, as: UTF8.self), to: STDERR_FILENO)
            }
        }
    }
}
