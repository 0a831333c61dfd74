internal import Foundation
package import VidscanBase
internal import VidscanMedia

/// `part.json`: which segment of which video a folder holds, and the outcome of reading it. The settings are stored
/// beside it as in `run.json`, so that the same code can read them.
package struct SegmentRecord: Codable {
    /// The input's path as the user wrote it.
    package var name: String
    package var input: RunRecord.Input
    package var segment: VideoSegment
    /// The name of the result folder that merging creates: `movie.mp4.vidscan`.
    package var resultName: String
    package var tools: Tools
    package var frames: Int
    /// The SHA-256 of each of the folder's other files, by file name.
    package var digests: [String: String]
    /// The size of one face in the intermediate file, in bytes. It must match the layout of the version that reads the
    /// file.
    package var faceBytes: Int
    /// Empty if blendshapes are not requested.
    package var blendshapeNames: [String]
    package var decoded: DecodingReport
    package var times: StageTimes
    package var wallSeconds: Double

    package init(
        name: String, input: RunRecord.Input, segment: VideoSegment, resultName: String, tools: Tools, frames: Int,
        digests: [String: String], faceBytes: Int, blendshapeNames: [String], decoded: DecodingReport,
        times: StageTimes, wallSeconds: Double
    ) {
        self.name = name
        self.input = input
        self.segment = segment
        self.resultName = resultName
        self.tools = tools
        self.frames = frames
        self.digests = digests
        self.faceBytes = faceBytes
        self.blendshapeNames = blendshapeNames
        self.decoded = decoded
        self.times = times
        self.wallSeconds = wallSeconds
    }

    package static let framesFile = "frames.spool"
    package static let signaturesFile = "signatures.spool"
    package static let files = [framesFile, signaturesFile]

    /// - Parameter folderPath: The folder that holds the files.
    package static func digests(in folderPath: String) throws(VidscanError) -> [String: String] {
        var digests: [String: String] = [:]
        for file in files {
            do {
                digests[file] = try FileDigest.sha256(path: "\(folderPath)/\(file)")
            } catch {
                throw VidscanError(.output, error.reason, stage: .write)
            }
        }
        return digests
    }

    /// The root object of the file.
    package struct File: Encodable {
        /// Distinguishes this record from a pipeline file when settings are read from it.
        package var vidscanVersion = Vidscan.version
        package var pipeline: JSONValue
        package var part: SegmentRecord

        package init(pipeline: JSONValue, part: SegmentRecord) {
            self.pipeline = pipeline
            self.part = part
        }
    }
}

extension SegmentRecord {
    /// - Throws: `VidscanError` if a value is one that no run writes. Unchecked, the result's name could lead out of
    ///   the output folder.
    package func check() throws(VidscanError) {
        let check = RecordCheck(file: ResultFolder.Kind.part.record)
        try check.require(
            resultName.hasSuffix(ResultPaths.resultEnding) && !resultName.contains("/")
                && !resultName.unicodeScalars.contains("\0") && resultName.utf8.count <= 255,
            "part.result_name", "the name of a folder of a result")
        try check.integer(segment.count, "part.segment.count", in: 1...Self.maximumSegments)
        try check.integer(input.bytes, "part.input.bytes", in: ReadLimits.counts)
        try check.number(input.modified, "part.input.modified", in: ReadLimits.seconds)
        try check.count(frames, "part.frames")
        try check.require(
            blendshapeNames.count <= 256
                && blendshapeNames.allSatisfy { name in
                    (1...64).contains(name.utf8.count)
                        && name.utf8.allSatisfy { $0 == 0x5F || Character(UnicodeScalar($0)).isLetterOrDigit }
                }, "part.blendshape_names", "names of blendshapes")
        for (value, key) in [
            (times.resample, "resample"), (times.detect, "detect"), (times.crop, "crop"), (times.mesh, "mesh"),
            (times.measure, "measure"), (times.look, "look"),
        ] {
            try check.number(value, "part.times.\(key)", in: ReadLimits.durations)
        }
        try check.number(wallSeconds, "part.wall_seconds", in: ReadLimits.durations)
        try Self.check(decoded, check)
    }

    private static func check(_ decoded: DecodingReport, _ check: RecordCheck) throws(VidscanError) {
        let (info, statistics) = (decoded.info, decoded.statistics)
        for (value, key) in [
            (info.containerStartMicroseconds, "container_start_microseconds"),
            (info.streamStartMicroseconds, "stream_start_microseconds"),
            (info.durationMicroseconds, "duration_microseconds"),
            (statistics.lastMicroseconds, "last_microseconds"),
        ] as [(Int64?, String)] {
            try check.integer(value, "part.decoded.\(key)", in: ReadLimits.microseconds)
        }
        for jump in statistics.discontinuities {
            try check.integer(
                jump.microseconds, "part.decoded.discontinuities.microseconds", in: ReadLimits.microseconds)
            try check.integer(
                jump.jumpMicroseconds, "part.decoded.discontinuities.jump_microseconds", in: ReadLimits.jumps)
        }
        for (value, key) in [
            (statistics.packetsDecoded, "packets_decoded"), (statistics.packetsDropped, "packets_dropped"),
            (statistics.framesDecoded, "frames_decoded"), (statistics.damage, "damage"),
            (statistics.corruptPackets, "corrupt_packets"),
            (statistics.implausibleTimestamps, "implausible_timestamps"), (info.streamIndex, "stream_index"),
        ] {
            try check.count(value, "part.decoded.\(key)")
        }
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

extension Character {
    /// Whether the character is an ASCII letter or digit.
    fileprivate var isLetterOrDigit: Bool { isASCII && (isLetter || isNumber) }
}
