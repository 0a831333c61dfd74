internal import Foundation
internal import VidscanBase
internal import VidscanResults

/// `status.json`: the state of a batch, as the process that runs it last wrote it.
public struct BatchStatus: Sendable, Codable, Equatable {
    public enum State: String, Sendable, Codable {
        case running
        /// Nothing is left to do for now.
        case finished
        /// By a signal.
        case interrupted
        /// By an error; the message says why.
        case stopped
    }

    /// What this run of the batch has done so far.
    public struct Run: Sendable, Codable, Equatable {
        public var done = 0
        public var failed = 0
        public var skipped = 0
        public var postponed = 0
        public var left = 0
        public var videoSeconds = 0.0
        public var elapsedSeconds = 0.0
        /// 0…1
        public var fraction = 0.0
        /// `nil` if it is not known.
        public var secondsLeft: Double?
    }

    /// A file in progress, of this or another process.
    public struct File: Sendable, Codable, Equatable {
        /// The path of the input.
        public var path: String
        /// The path of the result, relative to the batch's folder.
        public var result: String
        public var seconds: Double?
        public var lengthSeconds: Double?
        /// 0…1; `nil` if it is not known.
        public var fraction: Double?
    }

    public var state: State
    /// Why the batch stopped.
    public var message: String?
    /// When the run started, and when this was written, in seconds since 1970.
    public var started: Double
    public var updated: Double
    /// Files at a time.
    public var jobs: Int
    /// All files of the journal, by their status.
    public var counts: [String: Int]
    /// The files with warnings.
    public var warnings: Int
    public var run: Run
    public var files: [File]
    /// When `index.html` was last written, in milliseconds since 1970.
    public var page: Int64

    /// `status.json`, or `status-0-of-4.json`.
    static func path(in folder: String, _ shard: BatchShard?) -> String {
        "\(folder)/status\(shard?.fileSuffix ?? "").json"
    }

    /// The script that contains the same as `status.json`, because a page in a folder may load scripts, but not data.
    static func scriptName(_ shard: BatchShard?) -> String { "status\(shard?.fileSuffix ?? "").js" }

    /// - Returns: `nil` if there is no such file, or it is not valid.
    static func read(folder: String, shard: BatchShard?) -> BatchStatus? {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        guard let bytes = try? TextFile.bytes(path: path(in: folder, shard), limit: maximumBytes),
            let status = try? decoder.decode(Self.self, from: Data(bytes)),
            (1...256).contains(status.jobs), (0...1e12).contains(status.updated),
            (0...1e10).contains(status.run.secondsLeft ?? 0)
        else { return nil }
        return status
    }

    /// 256 files with the longest paths.
    private static let maximumBytes = 4 << 20

    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.keyEncodingStrategy = .convertToSnakeCase
        return Printable.json(String(decoding: try encoder.encode(self), as: UTF8.self))
    }
}
