package import VidscanBase
internal import VidscanMedia

/// `run.json`: the input, settings, tools and outcome of a run.
package struct RunRecord: Encodable {
    package struct Input: Codable {
        package var path: String
        package var bytes: Int64
        /// The modification time in seconds since 1970.
        package var modified: Double

        package init(path: String, bytes: Int64, modified: Double) {
            self.path = path
            self.bytes = bytes
            self.modified = modified
        }
    }

    package struct Video: Encodable {
        package var format: String
        package var codec: String
        package var stream: Int
        package var codedWidth: Int
        package var codedHeight: Int
        package var displayWidth: Int?
        package var displayHeight: Int?
        package var durationSeconds: Double?
        /// Subtracted from each timestamp to give the time in the tables.
        package var containerStartSeconds: Double
        package var streamStartSeconds: Double?
        /// Set only if the stream has no timestamps, so that times were computed from this rate.
        package var assumedFrameRate: String?

        package init(
            format: String, codec: String, stream: Int, codedWidth: Int, codedHeight: Int, displayWidth: Int? = nil,
            displayHeight: Int? = nil, durationSeconds: Double? = nil, containerStartSeconds: Double,
            streamStartSeconds: Double? = nil, assumedFrameRate: String? = nil
        ) {
            self.format = format
            self.codec = codec
            self.stream = stream
            self.codedWidth = codedWidth
            self.codedHeight = codedHeight
            self.displayWidth = displayWidth
            self.displayHeight = displayHeight
            self.durationSeconds = durationSeconds
            self.containerStartSeconds = containerStartSeconds
            self.streamStartSeconds = streamStartSeconds
            self.assumedFrameRate = assumedFrameRate
        }
    }

    /// A jump in the file's own timestamps. The clock of the tables continues from the frame before it, and no face_id
    /// or person_id appears on both sides.
    package struct Discontinuity: Encodable {
        /// The presentation time of the first frame after the jump, on the clock of the tables.
        var timeSeconds: Double
        /// The actual timestamp minus the expected one; negative if the timestamps jump back.
        var jumpSeconds: Double

        package init(_ discontinuity: TimestampDiscontinuity) {
            timeSeconds = Double(discontinuity.microseconds) / 1e6
            jumpSeconds = Double(discontinuity.jumpMicroseconds) / 1e6
        }
    }

    package struct Counts: Encodable {
        package var sampledFrames: Int
        package var faces: Int
        package var faceIds: Int
        /// The number of distinct person_ids. A track gets one only if the person is certain.
        package var personIds: Int
        /// Tracks that were too short, or not among the most prominent.
        package var tracksDropped: Int
        package var hardCuts: Int
        package var gradualCuts: Int
        package var events: Int
        package var decodedFrames: Int
        package var packetsNotDecoded: Int
        package var damagedFramesOrPackets: Int

        package init(
            sampledFrames: Int, faces: Int, faceIds: Int, personIds: Int, tracksDropped: Int, hardCuts: Int,
            gradualCuts: Int, events: Int, decodedFrames: Int, packetsNotDecoded: Int, damagedFramesOrPackets: Int
        ) {
            self.sampledFrames = sampledFrames
            self.faces = faces
            self.faceIds = faceIds
            self.personIds = personIds
            self.tracksDropped = tracksDropped
            self.hardCuts = hardCuts
            self.gradualCuts = gradualCuts
            self.events = events
            self.decodedFrames = decodedFrames
            self.packetsNotDecoded = packetsNotDecoded
            self.damagedFramesOrPackets = damagedFramesOrPackets
        }
    }

    package struct Timings: Encodable {
        package var wallSeconds: Double
        /// This and the times up to `lookSeconds` are sums over all workers.
        package var resampleSeconds: Double
        package var detectSeconds: Double
        package var cropSeconds: Double
        package var meshSeconds: Double
        package var measureSeconds: Double
        /// Time spent on frame signatures, for shots, and on appearance descriptors, for tracks.
        package var lookSeconds: Double
        /// Time spent on tracking, on one thread.
        package var followSeconds: Double
        /// Time spent on writing the tables, on one thread.
        package var tableSeconds: Double

        package init(
            wallSeconds: Double, resampleSeconds: Double, detectSeconds: Double, cropSeconds: Double,
            meshSeconds: Double, measureSeconds: Double, lookSeconds: Double, followSeconds: Double,
            tableSeconds: Double
        ) {
            self.wallSeconds = wallSeconds
            self.resampleSeconds = resampleSeconds
            self.detectSeconds = detectSeconds
            self.cropSeconds = cropSeconds
            self.meshSeconds = meshSeconds
            self.measureSeconds = measureSeconds
            self.lookSeconds = lookSeconds
            self.followSeconds = followSeconds
            self.tableSeconds = tableSeconds
        }
    }

    /// The effect of the filters on the frames.
    package struct Filters: Encodable {
        package var chain: String
        /// Whether some filter received every frame, and not only the sampled ones.
        package var everyFrame: Bool
        package var sourceWidth: Int
        package var sourceHeight: Int
        /// Maps a point (px, py) in the tables to the source: px' = xx·px + xy·py + x, py' = yx·px + yy·py + y, in
        /// pixels of the upright, square-pixel frame. Missing if a filter moves pixels in a way that no affine map
        /// describes.
        package var toSource: Map?

        package init(chain: String, everyFrame: Bool, sourceWidth: Int, sourceHeight: Int, toSource: Map? = nil) {
            self.chain = chain
            self.everyFrame = everyFrame
            self.sourceWidth = sourceWidth
            self.sourceHeight = sourceHeight
            self.toSource = toSource
        }

        package struct Map: Encodable {
            package var xx, xy, x, yx, yy, y: Double

            package init(_ map: VidscanBase.AffineTransform) {
                (xx, xy, x) = (map.xx, map.xy, map.x)
                (yx, yy, y) = (map.yx, map.yy, map.y)
            }
        }
    }

    package var vidscanVersion = Vidscan.version
    package var ffmpegVersion: String
    package var openvinoVersion: String
    package var models: [String: String]
    package var input: Input
    /// All settings that affect the results, in the structure of a pipeline file: `--pipeline run.json` repeats the
    /// run.
    package var pipeline: JSONValue
    package var workers: Int
    /// The number of segments that were merged; missing if a single run made the result. Counts and times are sums over
    /// the segments.
    package var parts: Int?
    package var filters: Filters?
    package var video: Video
    /// In time order; empty for most files.
    package var discontinuities: [Discontinuity]
    package var counts: Counts
    /// Problems that may affect the tables; empty if there were none.
    package var warnings: [String]
    /// Limits of the result that follow from the settings.
    package var notices: [String]
    package var timings: Timings

    package init(
        ffmpegVersion: String, openvinoVersion: String, models: [String: String], input: Input, pipeline: JSONValue,
        workers: Int, parts: Int? = nil, filters: Filters? = nil, video: Video, discontinuities: [Discontinuity],
        counts: Counts, warnings: [String], notices: [String], timings: Timings
    ) {
        self.ffmpegVersion = ffmpegVersion
        self.openvinoVersion = openvinoVersion
        self.models = models
        self.input = input
        self.pipeline = pipeline
        self.workers = workers
        self.parts = parts
        self.filters = filters
        self.video = video
        self.discontinuities = discontinuities
        self.counts = counts
        self.warnings = warnings
        self.notices = notices
        self.timings = timings
    }
}

/// The versions of the software and the models that an analysis used.
package struct Tools: Codable, Equatable {
    package var vidscanVersion = Vidscan.version
    package var ffmpegVersion = MediaVersions.summary
    package var openvinoVersion: String
    /// The SHA-256 of each model file, by file name.
    package var models: [String: String]

    package init(openvinoVersion: String, models: [String: String]) {
        self.openvinoVersion = openvinoVersion
        self.models = models
    }
}

extension RunRecord.Input {
    package init(_ file: InputFile) {
        self.init(path: file.absolutePath, bytes: file.bytes, modified: file.modified)
    }
}
