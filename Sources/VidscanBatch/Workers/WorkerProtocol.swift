/// The first message to a worker, as a line of JSON.
public struct WorkerSetup: Sendable, Codable, Equatable {
    /// The text of a pipeline file.
    public var pipeline: String
    /// Whether the filters of the pipeline may access files, the network and devices.
    public var allowsFileFilters: Bool
    /// The number of threads that analyse frames.
    public var workers: Int

    public init(pipeline: String, allowsFileFilters: Bool, workers: Int) {
        self.pipeline = pipeline
        self.allowsFileFilters = allowsFileFilters
        self.workers = workers
    }
}

/// Each further message to a worker, as a line of JSON.
public struct WorkerJob: Sendable, Codable, Equatable {
    public enum Work: String, Sendable, Codable {
        case analysis
        /// The report page of a finished result.
        case report
    }

    public var input: String
    /// Absolute path of the batch's folder, below which no link is followed.
    public var folder: String
    /// Path of the result below it.
    public var resultPath: String
    public var work: Work
    /// Whether the report must contain a digest of the input.
    public var takesDigest: Bool

    public init(input: String, folder: String, resultPath: String, work: Work = .analysis, takesDigest: Bool) {
        self.work = work
        self.input = input
        self.folder = folder
        self.resultPath = resultPath
        self.takesDigest = takesDigest
    }
}

/// A message from a worker, as a line of JSON.
public enum WorkerMessage: Sendable, Codable, Equatable {
    /// The input is open; its length in seconds, if known.
    case opened(videoSeconds: Double?)
    /// How far the analysis is.
    case progressed(FileProgress)
    case warned(String)
    case done(WorkerReport)
    case failed(reason: String, kind: WorkerFailure)
}

/// How much of an input is analysed.
public struct FileProgress: Sendable, Codable, Equatable {
    /// From the first position that is read.
    public var seconds: Double
    /// To the last position that will be read; `nil` if it is not known.
    public var lengthSeconds: Double?

    public init(seconds: Double, lengthSeconds: Double?) {
        self.seconds = seconds
        self.lengthSeconds = lengthSeconds
    }

    /// 0…1; `nil` if the length is not known.
    public var share: Double? {
        lengthSeconds.flatMap { $0 > 0 ? min(1, max(0, seconds / $0)) : nil }
    }
}

/// The figures of a finished input.
public struct WorkerReport: Sendable, Codable, Equatable {
    public var frames: Int
    public var faces: Int
    /// Different people.
    public var people: Int
    public var events: Int
    /// Problems that may affect the result, in words.
    public var warnings: [String]
    /// From the first to the last position that was read.
    public var videoSeconds: Double
    public var wallSeconds: Double
    /// SHA-256 of the input in hexadecimal, computed after the analysis.
    public var digest: String?

    public init(
        frames: Int, faces: Int, people: Int = 0, events: Int = 0, warnings: [String] = [], videoSeconds: Double,
        wallSeconds: Double, digest: String? = nil
    ) {
        self.frames = frames
        self.faces = faces
        self.people = people
        self.events = events
        self.warnings = warnings
        self.videoSeconds = videoSeconds
        self.wallSeconds = wallSeconds
        self.digest = digest
    }
}

public enum WorkerFailure: String, Sendable, Codable {
    /// The input is not a media file, or it refers to other files.
    case notMedia
    /// It is a media file without pictures.
    case noVideo
    case diskFull
    case interrupted
    /// No file can be analysed, because something is not installed.
    case setup
    case other
}
