/// What a worker is told first, a line of JSON.
public struct WorkerSetup: Sendable, Codable, Equatable {
    /// The text of a pipeline.
    public var pipeline: String
    /// Whether its filters may reach files, the network and devices.
    public var allowsFileFilters: Bool
    /// Threads that analyse.
    public var workers: Int

    public init(pipeline: String, allowsFileFilters: Bool, workers: Int) {
        self.pipeline = pipeline
        self.allowsFileFilters = allowsFileFilters
        self.workers = workers
    }
}

/// What a worker is told then, a line of JSON each.
public struct WorkerJob: Sendable, Codable, Equatable {
    public var input: String
    /// Where the result goes: an absolute path.
    public var result: String
    /// Whether the report is to hold a digest of the input.
    public var takesDigest: Bool

    public init(input: String, result: String, takesDigest: Bool) {
        self.input = input
        self.result = result
        self.takesDigest = takesDigest
    }
}

/// What a worker says, a line of JSON each.
public enum WorkerMessage: Sendable, Codable, Equatable {
    /// The input is open; how long it is, in seconds, where that is known.
    case opened(videoSeconds: Double?)
    case warned(String)
    case done(WorkerReport)
    /// - Parameter kind: what kind of failure it is.
    case failed(reason: String, kind: WorkerFailure)
}

/// What a worker says of a finished input.
public struct WorkerReport: Sendable, Codable, Equatable {
    public var frames: Int
    public var faces: Int
    /// From the first to the last moment that was read.
    public var videoSeconds: Double
    public var wallSeconds: Double
    /// SHA-256 of the input, in hexadecimal, taken after it was analysed.
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
    /// The input is no media file, or refers to others.
    case notMedia
    /// It is one, but shows no pictures.
    case noVideo
    /// The disk is full.
    case diskFull
    /// The run was asked to end.
    case interrupted
    /// Nothing can be analysed: something is not installed.
    case setup
    case other
}
