package import VidscanBase
internal import VidscanMedia

/// `run.json`: what was done, to what, with what, and what it came to.
package struct RunRecord: Encodable {
    package struct Input: Codable {
        package var path: String
        package var bytes: Int64
        /// Seconds since 1970.
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
        /// Subtracted from every timestamp to make a row's time.
        package var containerStartSeconds: Double
        package var streamStartSeconds: Double?
        /// Set when the stream has no timestamps and times were made from this rate.
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

    /// A place where the file's own timestamps jump. The tables' clock goes on from the frame before, and no face_id or
    /// person_id is given on both sides.
    package struct Discontinuity: Encodable {
        /// When the first frame after it is shown.
        var timeSeconds: Double
        /// From where the timestamps should have gone on to where they do; negative is back.
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
        /// Of those whose person is certain.
        package var personIds: Int
        /// Tracks that were only a flicker, or not among the most prominent.
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
        /// Sums over all workers.
        package var resampleSeconds: Double
        package var detectSeconds: Double
        package var cropSeconds: Double
        package var meshSeconds: Double
        package var measureSeconds: Double
        /// Signatures of pictures and looks of faces, for shots and tracks.
        package var lookSeconds: Double
        /// Following faces through the video, by one thread.
        package var followSeconds: Double
        /// Writing the tables, by one thread.
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

    /// What the filters made of the pictures.
    package struct Filters: Encodable {
        package var chain: String
        /// Some filter was given every frame, and not only those that are sampled.
        package var everyFrame: Bool
        package var sourceWidth: Int
        package var sourceHeight: Int
        /// From a place in the tables to the place in the source: x' = xx·x + xy·y + x, y' = yx·x + yy·y + y, in pixels of
        /// the upright, square-pixel picture. Missing when a filter moves things in a way that no such map tells.
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
    /// All settings that the results depend on, as a pipeline file has them: `--pipeline run.json` repeats the run.
    package var pipeline: JSONValue
    package var workers: Int
    /// How many parts the result was joined of; missing when one run made it. Counts and times are sums over them.
    package var parts: Int?
    package var filters: Filters?
    package var video: Video
    /// In order of time; empty in ordinary files.
    package var discontinuities: [Discontinuity]
    package var counts: Counts
    /// What a careful reader of the tables should know; empty when all went well.
    package var warnings: [String]
    /// What the settings left out.
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

/// What pictures are looked at with.
package struct Tools: Codable, Equatable {
    package var vidscanVersion = Vidscan.version
    package var ffmpegVersion = MediaVersions.summary
    package var openvinoVersion: String
    /// SHA-256 of each model file, by name.
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
