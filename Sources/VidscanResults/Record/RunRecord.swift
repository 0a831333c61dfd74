internal import Foundation
package import VidscanBase
package import VidscanFaces
package import VidscanMedia

/// `run.json`: the input, settings, tools and outcome of a run.
package struct RunRecord: Codable, Sendable {
    package struct Input: Codable, Sendable, Equatable {
        package let path: String
        package let bytes: Int64
        /// In seconds since 1970.
        package let modified: Double
        /// Missing unless the whole file was analysed at once.
        package let sha256: String?

        package init(_ file: InputFile, sha256: String? = nil) {
            (path, bytes, modified, self.sha256) = (file.absolutePath, file.bytes, file.modified, sha256)
        }
    }

    package struct Video: Codable, Sendable {
        package var format = "", codec = "", stream = 0, codedWidth = 0, codedHeight = 0
        package var displayWidth, displayHeight: Int?
        package var durationSeconds: Double?
        /// Subtracted from each timestamp to give the time in the tables.
        package var containerStartSeconds = 0.0
        package var streamStartSeconds: Double?
        /// Set only for a stream without timestamps, whose times follow from this rate.
        package var assumedFrameRate: String?
    }

    /// A jump in the file's timestamps. The tables' clock continues, and no face_id or person_id is on both sides.
    package struct Discontinuity: Codable, Sendable {
        /// The first frame after the jump, on the clock of the tables.
        let timeSeconds: Double
        /// The actual timestamp minus the expected one.
        let jumpSeconds: Double
    }

    package struct Counts: Codable, Sendable {
        package var sampledFrames = 0, faces = 0, faceIds = 0, personIds = 0
        /// Tracks that were too short, or not among the most prominent.
        package var tracksDropped = 0
        package var hardCuts = 0, gradualCuts = 0, events = 0, decodedFrames = 0, packetsNotDecoded = 0
        package var damagedFramesOrPackets = 0
        /// Samples at which it is known whether a voice can be heard; `nil` if nobody asked, and in early versions.
        package var framesWithSound: Int?

        package init() {}
    }

    package struct Timings: Codable, Sendable {
        package var wallSeconds = 0.0
        /// From here to `embedSeconds`, sums over all workers.
        package var resampleSeconds = 0.0
        package var detectSeconds = 0.0, cropSeconds = 0.0, meshSeconds = 0.0, measureSeconds = 0.0
        /// Frame signatures (for shots) and appearance descriptors (for tracks).
        package var lookSeconds = 0.0
        /// Face embeddings and their crops; missing in early versions.
        package var embedSeconds: Double? = 0.0
        /// The sound and the mouths; missing in early versions.
        package var speechSeconds: Double? = 0.0
        package var followSeconds = 0.0, tableSeconds = 0.0

        package init() {}
    }

    package struct Embeddings: Codable, Sendable {
        package private(set) var file = EmbeddingFile.name
        package let rows: Int

        package init(rows: Int) { self.rows = rows }
    }

    /// The effect of the filters on the frames.
    package struct Filters: Codable, Sendable {
        package let chain: String
        /// Whether some filter received every frame, not only the sampled ones.
        package let everyFrame: Bool
        package let sourceWidth, sourceHeight: Int
        /// Maps a point (px, py) in the tables to the source: px' = xx·px + xy·py + x, py' = yx·px + yy·py + y, in
        /// pixels of the upright, square-pixel frame. Missing unless all filters move pixels affinely.
        package let toSource: VidscanBase.AffineTransform?
    }

    package let vidscanVersion, ffmpegVersion, openvinoVersion: String
    package let models: [String: String]
    package let input: Input
    package let pipeline: RecordedSettings
    /// When the analysis began, in ISO 8601 and UTC, and where; missing in early versions. For merged segments: the first
    /// of these times, the processor if all agree, and the command that merged them.
    package var started, processor: String?
    /// The command line without its other inputs; missing likewise, and for a call of the library.
    package var command: [String]?
    package var workers = 1
    /// The number of merged segments, over which counts and times are sums; missing for a single run.
    package var parts: Int?
    package private(set) var filters: Filters?
    package private(set) var video = Video()
    /// In time order; missing in early versions.
    package private(set) var discontinuities: [Discontinuity]? = []
    package private(set) var counts: Counts
    /// Problems that may affect the tables.
    package var warnings: [String] = []
    /// Limits of the result that follow from the settings.
    package var notices: [String] = []
    package private(set) var timings: Timings
    /// Missing if the run kept no embeddings, or if they were removed since.
    package var embeddings: Embeddings?
    /// The SHA-256 of the tables by which faces are hidden, by file name; missing if they are not in the result.
    package var digests: [String: String]?
    package private(set) var corrections: AppliedCorrections?

    /// `counts` are those of the tables, and `timings` those of the steps after the workers; the rest is added.
    package init(
        input: Input, pipeline: RecordedSettings, tools: Tools, counts: Counts, timings: Timings, workers: StageTimes
    ) {
        (vidscanVersion, ffmpegVersion) = (tools.vidscanVersion, tools.ffmpegVersion)
        (openvinoVersion, models) = (tools.openvinoVersion, tools.models)
        (self.input, self.pipeline, self.counts, self.timings) = (input, pipeline, counts, timings)
        (self.timings.resampleSeconds, self.timings.detectSeconds) = (workers.resample, workers.detect)
        (self.timings.cropSeconds, self.timings.meshSeconds) = (workers.crop, workers.mesh)
        (self.timings.measureSeconds, self.timings.lookSeconds) = (workers.measure, workers.look)
        self.timings.embedSeconds = workers.embed + (timings.embedSeconds ?? 0)
    }

    package mutating func add(_ decoded: DecodingReport, filters chain: FilterChain?) {
        let (info, statistics) = (decoded.info, decoded.statistics)
        video = Video(
            format: info.format, codec: info.codec, stream: info.streamIndex, codedWidth: info.codedSize.width,
            codedHeight: info.codedSize.height, displayWidth: decoded.displaySize?.width,
            displayHeight: decoded.displaySize?.height,
            // Where timestamps jump, as in joined recordings, the file may announce the length of a part, or count the jumps.
            durationSeconds: info.durationMicroseconds.map {
                let jumps = statistics.discontinuities.map { max(0, $0.jumpMicroseconds) }.reduce(0, &+)
                return Double(max($0 &- jumps, statistics.lastMicroseconds ?? 0)) / 1e6
            },
            containerStartSeconds: Double(info.containerStartMicroseconds) / 1e6,
            streamStartSeconds: info.streamStartMicroseconds.map { Double($0) / 1e6 },
            assumedFrameRate: statistics.assumesFrameRate?.description)
        discontinuities = statistics.discontinuities.map {
            Discontinuity(timeSeconds: Double($0.microseconds) / 1e6, jumpSeconds: Double($0.jumpMicroseconds) / 1e6)
        }
        (counts.decodedFrames, counts.packetsNotDecoded) = (statistics.framesDecoded, statistics.packetsDropped)
        counts.damagedFramesOrPackets = statistics.errors
        if let chain, let filtering = decoded.filtering {
            filters = Filters(
                chain: chain.text, everyFrame: chain.needsEveryFrame, sourceWidth: filtering.sourceSize.width,
                sourceHeight: filtering.sourceSize.height, toSource: filtering.toSource)
        }
    }

    /// Throws if a number is one that no run writes.
    func check() throws(VidscanError) {
        let check = RecordCheck(file: ResultFolder.Kind.result.record)
        try check.integer(input.bytes, "input.bytes", in: ReadLimits.counts)
        try check.number(input.modified, "input.modified", in: ReadLimits.seconds)
        try check.number(pipeline.detect.minFace, "pipeline.detect.min_face", in: ReadLimits.extents)
        try check.map(filters?.toSource, "filters.to_source")
        try check.integer(video.stream, "video.stream", in: 0...Int(Int32.max))
        try check.number(video.durationSeconds, "video.duration_seconds", in: ReadLimits.seconds)
        try check.number(video.containerStartSeconds, "video.container_start_seconds", in: ReadLimits.seconds)
        try check.integer(video.displayWidth, "video.display_width", in: ReadLimits.sides)
        try check.integer(video.displayHeight, "video.display_height", in: ReadLimits.sides)
        try check.counts("embeddings", ["rows": embeddings?.rows ?? 0])
        try check.number(timings.wallSeconds, "timings.wall_seconds", in: ReadLimits.durations)
        try check.counts(
            "counts",
            [
                "sampled_frames": counts.sampledFrames, "faces": counts.faces, "face_ids": counts.faceIds,
                "person_ids": counts.personIds, "hard_cuts": counts.hardCuts, "gradual_cuts": counts.gradualCuts,
                "damaged_frames_or_packets": counts.damagedFramesOrPackets,
            ])
        try corrections?.check(check)
    }
}

/// Returns the model that computes emotions and emojis, given the SHA-256 of each model file that analysed a video.
package typealias RecordedModel = @Sendable ([String: String]) throws(VidscanError) -> ExpressionModel

package struct Tools: Codable, Equatable, Sendable {
    package var vidscanVersion = Vidscan.version
    package var ffmpegVersion = MediaVersions.summary
    package var openvinoVersion: String
    /// SHA-256 by name of the model file.
    package var models: [String: String]

    package init(openvinoVersion: String, models: [String: String]) {
        (self.openvinoVersion, self.models) = (openvinoVersion, models)
    }
}

/// The settings of a run in `run.json`: all as JSON, and those that later steps need as the types that wrote them.
package struct RecordedSettings: Codable, Sendable {
    package struct Sample: Decodable, Sendable {
        package let rate: SampleGrid.Rate
        package let start, end: Double?
    }

    package struct Detect: Decodable, Sendable {
        package let accuracy: DetectorAccuracy
        package let faces: FaceSize
        package let minFace, minConfidence: Double
        package let stride: Int?
    }

    package struct Measure: Decodable, Sendable { package let metrics: [String]? }

    package struct Track: Decodable, Sendable {
        package let maxFaces: Int?
        package let minTrack: Int
        package let smoothing: Bool
        /// Whether face embeddings recognised people; missing in early versions.
        package let person: Bool?
    }

    package struct Write: Decodable, Sendable {
        /// Whether the tables stayed in the result; `nil` if the settings did not say.
        package let tables: Bool?
    }

    package struct Render: Decodable, Sendable {
        /// The method of hiding faces. Readers only need to know whether there is one.
        package let anonymize: String?
        private let keep, hide, keepFaces, hideFaces, invert, keepSubtitles: JSONValue?
        package let covers: JSONValue?

        /// Whether another video may be made with these settings: they do not choose who or what stays visible.
        package var isRepeatable: Bool {
            [keep, hide, keepFaces, hideFaces, invert, keepSubtitles].allSatisfy { $0 == nil || $0 == .flag(false) }
        }
    }

    package let sample: Sample
    package let detect: Detect
    package let measure: Measure?
    package let track: Track
    package let write: Write?
    package let render: Render?
    /// Whether it was found out who speaks; missing in early versions.
    package let speech: Bool?
    /// All settings that affect the results, structured like a pipeline file: `--pipeline run.json` repeats the run.
    package let all: JSONValue

    private enum CodingKeys: CodingKey { case sample, detect, measure, track, write, render, speech }

    package init(from decoder: any Decoder) throws {
        let sections = try decoder.container(keyedBy: CodingKeys.self)
        sample = try sections.decode(Sample.self, forKey: .sample)
        detect = try sections.decode(Detect.self, forKey: .detect)
        measure = try sections.decodeIfPresent(Measure.self, forKey: .measure)
        track = try sections.decode(Track.self, forKey: .track)
        write = try sections.decodeIfPresent(Write.self, forKey: .write)
        render = try sections.decodeIfPresent(Render.self, forKey: .render)
        speech = try sections.decodeIfPresent(Bool.self, forKey: .speech)
        all = try JSONValue(from: decoder)
    }

    package func encode(to encoder: any Encoder) throws { try all.encode(to: encoder) }

    /// Throws if a later step could not read the settings.
    package init(_ all: JSONValue) throws(VidscanError) {
        do { self = try RecordFile.decoder.decode(Self.self, from: JSONEncoder().encode(all)) } catch {
            throw VidscanError(.output, "cannot write run.json: \(RecordFile.reason(error))", stage: .write)
        }
    }
}
