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
    public var input: String
    /// Absolute path of the result.
    public var result: String
    /// Whether the report must contain a digest of the input.
    public var takesDigest: Bool

    public init(input: String, result: String, takesDigest: Bool) {
        self.input = input
        self.result = result
        self.takesDigest = takesDigest
    }
}

/// A message from a worker, as a line of JSON.
public enum WorkerMessage: Sendable, Codable, Equatable {
    /// The input is open; its length in seconds, if known.
    case opened(videoSeconds: Double?)
    case warned(String)
    case done(WorkerReport)
    case failed(reason: String, kind: WorkerFailure)
}

/// The figures of a finished input.
public struct WorkerReport: Sendable, Codable, Equatable {
    public var frames: Int
    public var faces: Int
    /// From the first to the last position that was read.
    public var videoSeconds: Double
    public var wallSeconds: Double
    /// SHA-256 of the input in hexadecimal, computed after the analysis.
    public var digest: String?

    public init(frames: Int, faces: Int, videoSeconds: Double, wallSeconds: Double, digest: String? = nil) {
        self.frames = frames
        self.faces = faces
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
