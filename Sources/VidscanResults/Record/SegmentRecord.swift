package import VidscanBase
internal import VidscanMedia

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
    package var times = StageTimes()
    package var wallSeconds = 0.0

    /// The segment's other files in `folderPath` must be complete.
    package init(
        of file: InputFile, segment: VideoSegment, resultName: String, tools: Tools, decoded: DecodingReport,
        folderPath: String
    ) throws(VidscanError) {
        name = file.name
        input = RunRecord.Input(file)
        (self.segment, self.resultName, self.tools, self.decoded) = (segment, resultName, tools, decoded)
        do {
            digests = [ResultFiles.record: try FileDigest.sha256(path: "\(folderPath)/\(ResultFiles.record)")]
        } catch {
            throw VidscanError(.output, error.reason, stage: .write)
        }
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
            resultName.hasSuffix(ResultPaths.resultEnding) && !resultName.contains("/")
                && !resultName.unicodeScalars.contains("\0") && resultName.utf8.count <= 255,
            "part.result_name", "the name of a folder of a result")
        try check.integer(segment.count, "part.segment.count", in: 1...Self.maximumSegments)
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
            try check.integer(
                jump.microseconds, "part.decoded.discontinuities.microseconds", in: ReadLimits.microseconds)
            try check.integer(
                jump.jumpMicroseconds, "part.decoded.discontinuities.jump_microseconds", in: ReadLimits.jumps)
        }
        try check.counts(
            "part.decoded",
            [
                "packets_decoded": statistics.packetsDecoded, "packets_dropped": statistics.packetsDropped,
                "frames_decoded": statistics.framesDecoded, "damage": statistics.damage,
                "corrupt_packets": statistics.corruptPackets,
                "implausible_timestamps": statistics.implausibleTimestamps, "stream_index": info.streamIndex,
            ])
        // The coded size is unknown in some streams.
        let sides = 0...ReadLimits.sides.upperBound
        for (size, key) in [
            (info.codedSize, "coded_size"), (decoded.displaySize, "display_size"),
            (decoded.filtering?.sourceSize, "source_size"), (decoded.filtering?.filteredSize, "filtered_size"),
        ] as [(PictureSize?, String)] {
            try check.integer(size?.width, "part.decoded.\(key).width", in: sides)
            try check.integer(size?.height, "part.decoded.\(key).height", in: sides)
        }
        try check.map(decoded.filtering?.toSource, "part.decoded.filtering.to_source")
    }

    private static let maximumSegments = 100_000
}
