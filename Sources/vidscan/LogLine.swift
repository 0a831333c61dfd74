internal import VidscanBase

/// What a line of the log reports. In the JSON format, each line names it; `docs/log.schema.json` says which fields follow.
enum LogLine: String, CaseIterable {
    // One input.
    case opened, warning, note, failed, postponed, skipped
    case fileDone = "file_done"
    // Something that was made from a result.
    case rendered, reported, exported, corrected, verified
    // Several inputs.
    case started, reading, progress, waiting, finished, interrupted, stopped
    case retryLater = "retry_later"
    case quarantined
    /// Results that were removed because of their age.
    case pruned
    /// Who is who in several videos, or whose traces were removed.
    case people
    /// Anything else.
    case message
}

/// The fields of a line, with their types.
typealias LogFields = [String: JSONValue]

extension JSONValue {
    /// Seconds, to thousandths.
    static func seconds(_ value: Double) -> JSONValue { .number((value * 1000).rounded() / 1000) }
}
