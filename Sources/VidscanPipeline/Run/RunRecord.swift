internal import Foundation
internal import VidscanCore
internal import VidscanInference
internal import VidscanMedia

/// `run.json`: what was done, to what, with what, and what it came to.
struct RunRecord: Encodable {
    struct Input: Encodable {
        var path: String
        var bytes: Int64
        /// Seconds since 1970.
        var modified: Double
    }

    struct Video: Encodable {
        var format: String
        var codec: String
        var stream: Int
        var codedWidth: Int
        var codedHeight: Int
        var displayWidth: Int?
        var displayHeight: Int?
        var durationSeconds: Double?
        /// Subtracted from every timestamp to make a row's time.
        var containerStartSeconds: Double
        var streamStartSeconds: Double?
        /// Set when the stream has no timestamps and times were made from this rate.
        var assumedFrameRate: String?
    }

    struct Counts: Encodable {
        var sampledFrames: Int
        var faces: Int
        var faceIds: Int
        /// Of those whose person is certain.
        var personIds: Int
        /// Tracks that were only a flicker, or not among the most prominent.
        var tracksDropped: Int
        var hardCuts: Int
        var gradualCuts: Int
        var events: Int
        var decodedFrames: Int
        var packetsNotDecoded: Int
        var damagedFramesOrPackets: Int
    }

    struct Timings: Encodable {
        var wallSeconds: Double
        /// Sums over all workers.
        var resampleSeconds: Double
        var detectSeconds: Double
        var cropSeconds: Double
        var meshSeconds: Double
        var measureSeconds: Double
        /// Signatures of pictures and looks of faces, for shots and tracks.
        var lookSeconds: Double
        /// Following faces through the video, by one thread.
        var followSeconds: Double
        /// Writing the tables, by one thread.
        var tableSeconds: Double
    }

    struct Options: Encodable {
        var rate: String
        var startSeconds: Double?
        var endSeconds: Double?
        var stream: Int?
        var accuracy: String
        var faces: String
        var maxFaces: Int?
        var minFace: Double
        var minConfidence: Double
        var maxGapSeconds: Double
        var minTrackSamples: Int
        var smoothing: Bool
        var precision: String
        var workers: Int
        var format: [String]

        init(_ options: AnalysisOptions) {
            switch options.rate {
            case .everyFrame: rate = "every-frame"
            case .perSecond(let value): rate = value.description
            }
            startSeconds = options.start.map { Double($0) / 1e6 }
            endSeconds = options.end.map { Double($0) / 1e6 }
            stream = options.streamIndex
            accuracy = options.accuracy.rawValue
            faces = options.faceSize.rawValue
            maxFaces = options.maximumFaces
            minFace = options.minimumFace
            minConfidence = options.minimumConfidence
            maxGapSeconds = options.maximumGapSeconds
            minTrackSamples = options.minimumTrackSamples
            smoothing = options.smoothing != nil
            precision = options.precision.rawValue
            workers = options.workers
            format = options.formats.map(\.rawValue).sorted()
        }
    }

    var vidscanVersion = Vidscan.version
    var ffmpegVersion = MediaVersions.summary
    var openvinoVersion: String
    var models: [String: String]
    var input: Input
    var options: Options
    var video: Video
    var counts: Counts
    /// What a careful reader of the tables should know; empty when all went well.
    var warnings: [String]
    /// What the options left out.
    var notices: [String]
    var timings: Timings

    func write(to folder: ResultFolder) throws(PipelineError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.keyEncodingStrategy = .convertToSnakeCase
        let file = try OutputFile(path: folder.partialPath + "/run.json")
        do {
            file.buffer.write(text: String(decoding: try encoder.encode(self), as: UTF8.self))
        } catch {
            throw PipelineError(.output, "cannot write run.json: \(error.localizedDescription)", stage: .write)
        }
        file.buffer.write("\n")
        try file.finish()
    }
}
