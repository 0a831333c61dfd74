/// The first message to a worker. Each message is a line of JSON.
package struct WorkerSetup: Sendable, Codable {
    package var pipeline = ""
    /// Whether filters may access files, the network and devices.
    package var allowsFileFilters = false
    package var workers = 1
    /// Of the batch, for `run.json`.
    package var command = CommandLine.arguments
}

/// Each further message to a worker.
package struct WorkerJob: Sendable, Codable {
    package enum Work: String, Sendable, Codable {
        case analysis
        /// Only the report page of a finished result.
        case report
    }

    package var input: String
    /// Absolute path of the batch's folder; no link below it is followed.
    package var folder: String
    /// Relative to the folder.
    package var resultPath: String
    package var work: Work
    /// Whether the worker must report a digest of the input.
    package var takesDigest: Bool
}

package enum WorkerMessage: Sendable, Codable, Equatable {
    /// In seconds; `nil` if unknown.
    case opened(videoSeconds: Double?)
    case progressed(FileProgress)
    case warned(String)
    case done(WorkerReport)
    case failed(reason: String, kind: WorkerFailure)
}

package struct FileProgress: Sendable, Codable, Equatable {
    /// From the first position that is read.
    package var seconds: Double
    /// To the last position that will be read; `nil` if unknown.
    package var lengthSeconds: Double?

    package init(seconds: Double, lengthSeconds: Double?) {
        (self.seconds, self.lengthSeconds) = (seconds, lengthSeconds)
    }

    /// 0…1; `nil` if the length is unknown.
    package var fraction: Double? { lengthSeconds.flatMap { $0 > 0 ? min(1, max(0, seconds / $0)) : nil } }
}

package struct WorkerReport: Sendable, Codable, Equatable {
    package var frames = 0, faces = 0, people = 0, events = 0
    package var warnings: [String] = []
    /// From the first to the last position that was read.
    package var videoSeconds = 0.0
    package var wallSeconds = 0.0
    /// SHA-256 in hexadecimal, computed after the analysis.
    package var digest: String?

    package init() {}
}

package enum WorkerFailure: String, Sendable, Codable {
    /// Not a media file, or one that refers to other files.
    case notMedia
    /// A media file without pictures.
    case noVideo
    case diskFull, interrupted
    /// Nothing can be analysed, because something is not installed.
    case setup
    case other
}
