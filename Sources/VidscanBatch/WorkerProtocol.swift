/// What a worker is told, a line of JSON each.
public struct WorkerJob: Sendable, Codable, Equatable {
    public var input: String
    /// Where the result goes: an absolute path.
    public var result: String

    public init(input: String, result: String) {
        self.input = input
        self.result = result
    }
}

/// What a worker says, a line of JSON each.
public enum WorkerMessage: Sendable, Codable, Equatable {
    /// The input is open; how long it is, in seconds, where that is known.
    case opened(videoSeconds: Double?)
    /// How far it has come, in seconds of video.
    case progressed(videoSeconds: Double)
    case warned(String)
    case done(WorkerReport)
    /// - Parameter kind: what kind of failure it is.
    case failed(reason: String, kind: WorkerFailure)
}

public enum WorkerFailure: String, Sendable, Codable {
    /// The input is no video, or one that cannot be read.
    case notMedia
    /// The disk is full.
    case diskFull
    /// The run was asked to end.
    case interrupted
    /// Nothing can be analysed: something is not installed.
    case setup
    case other
}
