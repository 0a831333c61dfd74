package import VidscanBase
package import VidscanMedia

/// `part.json`: which segment of which video a folder holds, and how reading it went. The settings are beside it as in
/// `run.json`, so that the same code can read them.
package struct SegmentRecord: Codable, Sendable {
    package let name: String
    package let input: RunRecord.Input
    package let segment: VideoSegment
    /// The result folder that merging creates: `movie.mp4.vidscan`.
    package let resultName: String
    package let tools: Tools
    package var frames = 0
    /// SHA-256 of the folder's other files, by file name.
    package let digests: [String: String]
    /// Empty if blendshapes are not requested.
    package var blendshapeNames: [String] = []
    package let decoded: DecodingReport
    package var times = StageTimes(), wallSeconds = 0.0
    package var started, processor: String?

    /// The segment's other files in `folderPath` must be complete.
    package init(
        of file: InputFile, segment: VideoSegment, resultName: String, tools: Tools, decoded: DecodingReport,
        folderPath: String
    ) throws(VidscanError) {
        (name, input) = (file.name, RunRecord.Input(file))
        (self.segment, self.resultName, self.tools, self.decoded) = (segment, resultName, tools, decoded)
        do {
            digests = [ResultFiles.record: try FileDigest.sha256(path: "\(folderPath)/\(ResultFiles.record)")]
        } catch { throw VidscanError(error.code == .cancelled ? .interrupted : .output, error.reason, stage: .write) }
    }

    package struct File: Encodable {
        /// Distinguishes this record from a pipeline file when settings are read from it.
        package var vidscanVersion = Vidscan.version
        package var pipeline: JSONValue
        package var part: SegmentRecord

        package init(pipeline: JSONValue, part: SegmentRecord) { (self.pipeline, self.part) = (pipeline, part) }
    }

    /// Throws if a value is one that no run writes. Unchecked, the result's name could lead out of the output folder.
    package func check() throws(VidscanError) {
        let check = RecordCheck(file: ResultFolder.Kind.segment.record)
        try check.require(
            resultName.hasSuffix(ResultPaths.resultEnding) && !resultName.unicodeScalars.contains("/")
                && !resultName.unicodeScalars.contains("\0") && resultName.utf8.count <= 255,
            "part.result_name", "the name of a folder of a result")
        try check.integer(segment.count, "part.segment.count", in: 1...100_000)
        try check.integer(input.bytes, "part.input.bytes", in: ReadLimits.counts)
        try check.number(input.modified, "part.input.modified", in: ReadLimits.seconds)
        try check.counts("part", ["frames": frames])
        try check.require(
            blendshapeNames.count <= 256 && blendshapeNames.allSatisfy(OutputOptions.isBlendshape),
            "part.blendshape_names", "names of blendshapes")
        for part in StageTimes.parts {
            try check.number(times[keyPath: part.path], "part.times.\(part.name)", in: ReadLimits.durations)
        }
        try check.number(wallSeconds, "part.wall_seconds", in: ReadLimits.durations)
        let (info, statistics) = (decoded.info, decoded.statistics)
        let moments: KeyValuePairs<String, Int64?> = [
            "container_start_microseconds": info.containerStartMicroseconds,
            "stream_start_microseconds": info.streamStartMicroseconds,
            "duration_microseconds": info.durationMicroseconds, "last_microseconds": statistics.lastMicroseconds,
        ]
        for (key, time) in moments { try check.integer(time, "part.decoded.\(key)", in: ReadLimits.microseconds) }
        for jump in statistics.discontinuities {
            let key = "part.decoded.discontinuities"
            try check.integer(jump.microseconds, "\(key).microseconds", in: ReadLimits.microseconds)
            try check.integer(jump.jumpMicroseconds, "\(key).jump_microseconds", in: ReadLimits.jumps)
        }
        try check.counts(
            "part.decoded",
            [
                "packets_decoded": statistics.packetsDecoded, "packets_dropped": statistics.packetsDropped,
                "frames_decoded": statistics.framesDecoded, "damage": statistics.damage,
                "corrupt_packets": statistics.corruptPackets,
                "implausible_timestamps": statistics.implausibleTimestamps, "stream_index": info.streamIndex,
                "frames_behind": statistics.framesBehind, "frames_without_timestamp": statistics.framesWithoutTimestamp,
            ])
        // The coded size is unknown in some streams.
        let sides = 0...ReadLimits.sides.upperBound
        for (size, key) in [
            (info.codedSize, "coded_size"), (decoded.displaySize, "display_size"),
            (decoded.changedSize, "changed_size"),
            (decoded.filtering?.sourceSize, "source_size"), (decoded.filtering?.filteredSize, "filtered_size"),
        ] as [(PictureSize?, String)] {
            try check.integer(size?.width, "part.decoded.\(key).width", in: sides)
            try check.integer(size?.height, "part.decoded.\(key).height", in: sides)
        }
        try check.map(decoded.filtering?.toSource, "part.decoded.filtering.to_source")
    }
}

package struct DecodingReport: Sendable, Codable {
    package let info: VideoInfo
    package private(set) var statistics: ReadStatistics
    package private(set) var displaySize: PictureSize?
    /// The first other size of a picture.
    package private(set) var changedSize: PictureSize?
    package private(set) var filtering: FrameReader.FilterOutcome?
    /// Whether the settings select neither a time range nor a segment.
    package var isWholeVideo: Bool

    /// `reader` must have reached its end.
    package init(_ reader: FrameReader, sizes: [PictureSize], isWholeVideo: Bool) {
        (info, statistics, filtering) = (reader.info, reader.statistics, reader.filtering)
        (displaySize, changedSize, self.isWholeVideo) = (sizes.first, sizes.dropFirst().first, isWholeVideo)
    }

    /// Adds the report of the next segment of the same video.
    package mutating func join(_ next: DecodingReport) {
        statistics.join(next.statistics)
        (displaySize, filtering) = (displaySize ?? next.displaySize, filtering ?? next.filtering)
        changedSize =
            changedSize ?? [next.displaySize, next.changedSize].compactMap(\.self).first { $0 != displaySize }
    }
}

/// Seconds that a worker spent in each step.
package struct StageTimes: Sendable, Codable {
    package var resample = 0.0, detect = 0.0, crop = 0.0, mesh = 0.0, measure = 0.0, look = 0.0, embed = 0.0

    package init() {}

    package mutating func measure<Result, Failure: Error>(
        _ part: WritableKeyPath<StageTimes, Double>, _ work: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let begin = ContinuousClock.now
        defer { self[keyPath: part] += begin.duration(to: .now) / .seconds(1) }
        return try work()
    }

    package mutating func add(_ other: StageTimes) {
        for part in Self.parts { self[keyPath: part.path] += other[keyPath: part.path] }
    }

    /// By their names in `part.json`.
    static let parts: [(name: String, path: any WritableKeyPath<StageTimes, Double> & Sendable)] = [
        ("resample", \.resample), ("detect", \.detect), ("crop", \.crop), ("mesh", \.mesh), ("measure", \.measure),
        ("look", \.look), ("embed", \.embed),
    ]
}
