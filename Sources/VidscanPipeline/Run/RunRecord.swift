internal import VidscanCore
internal import VidscanInference
internal import VidscanMedia

/// `run.json`: what was done, to what, with what, and what it came to.
struct RunRecord: Encodable {
    struct Input: Codable {
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

    /// A place where the file's own timestamps jump. The tables' clock goes on from the frame before, and no face_id or
    /// person_id is given on both sides.
    struct Discontinuity: Encodable {
        /// When the first frame after it is shown.
        var timeSeconds: Double
        /// From where the timestamps should have gone on to where they do; negative is back.
        var jumpSeconds: Double

        init(_ discontinuity: TimestampDiscontinuity) {
            timeSeconds = Double(discontinuity.microseconds) / 1e6
            jumpSeconds = Double(discontinuity.jumpMicroseconds) / 1e6
        }
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

    /// What the filters made of the pictures.
    struct Filters: Encodable {
        var chain: String
        /// Some filter was given every frame, and not only those that are sampled.
        var everyFrame: Bool
        var sourceWidth: Int
        var sourceHeight: Int
        /// From a place in the tables to the place in the source: x' = xx·x + xy·y + x, y' = yx·x + yy·y + y, in pixels of
        /// the upright, square-pixel picture. Missing when a filter moves things in a way that no such map tells.
        var toSource: Map?

        struct Map: Encodable {
            var xx, xy, x, yx, yy, y: Double

            init(_ map: VidscanCore.AffineTransform) {
                (xx, xy, x) = (map.xx, map.xy, map.x)
                (yx, yy, y) = (map.yx, map.yy, map.y)
            }
        }
    }

    var vidscanVersion = Vidscan.version
    var ffmpegVersion: String
    var openvinoVersion: String
    var models: [String: String]
    var input: Input
    /// All settings that the results depend on, as a pipeline file has them: `--pipeline run.json` repeats the run.
    var pipeline: JSONValue
    var workers: Int
    /// How many parts the result was joined of; missing when one run made it. Counts and times are sums over them.
    var parts: Int?
    var filters: Filters?
    var video: Video
    /// In order of time; empty in ordinary files.
    var discontinuities: [Discontinuity]
    var counts: Counts
    /// What a careful reader of the tables should know; empty when all went well.
    var warnings: [String]
    /// What the settings left out.
    var notices: [String]
    var timings: Timings

    /// - Parameter tools: what the pictures were looked at with.
    init(
        _ outcome: RunOutcome, settings: Settings, input: Input, tools: Tools, wallSeconds: Double,
        parts: Int? = nil
    ) {
        ffmpegVersion = tools.ffmpegVersion
        openvinoVersion = tools.openvinoVersion
        models = tools.models
        self.input = input
        pipeline = settings.record
        workers = settings.detect.workers
        self.parts = parts
        filters = outcome.filters(settings.filters)
        video = outcome.video
        discontinuities = outcome.discontinuities
        counts = outcome.counts
        warnings = outcome.warnings
        notices = outcome.notices
        timings = Timings(
            wallSeconds: wallSeconds, resampleSeconds: outcome.times.resample, detectSeconds: outcome.times.detect,
            cropSeconds: outcome.times.crop, meshSeconds: outcome.times.mesh, measureSeconds: outcome.times.measure,
            lookSeconds: outcome.times.look, followSeconds: outcome.written.followSeconds,
            tableSeconds: outcome.written.tableSeconds)
    }
}

/// What pictures are looked at with.
struct Tools: Codable, Equatable {
    var vidscanVersion = Vidscan.version
    var ffmpegVersion = MediaVersions.summary
    var openvinoVersion: String
    /// SHA-256 of each model file, by name.
    var models: [String: String]
}

extension RunRecord.Input {
    init(_ file: InputFile) {
        self.init(path: file.absolutePath, bytes: file.bytes, modified: file.modified)
    }
}
