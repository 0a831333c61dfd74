internal import Foundation
internal import VidscanCore
internal import VidscanMedia

/// A result folder, as an earlier run has left it.
struct FinishedResult {
    /// `run.json`, as far as it is needed again.
    struct Record: Decodable {
        struct Input: Decodable {
            var path: String
            var bytes: Int64
            var modified: Double
        }

        /// The settings of the run.
        struct Pipeline: Decodable {
            struct Sample: Decodable {
                var rate: String
                var start: Double?
                var end: Double?
            }
            struct Detect: Decodable {
                var accuracy: String
                var faces: String
                var minFace: Double
                var minConfidence: Double
            }
            struct Track: Decodable {
                var maxFaces: Int?
                var minTrack: Int
                var smoothing: Bool
            }
            struct Render: Decodable {
                var anonymize: String?
            }
            var sample: Sample
            var detect: Detect
            var track: Track
            var render: Render?
        }

        /// What filters made of the picture.
        struct Filters: Decodable {
            struct Map: Decodable {
                var xx, xy, x, yx, yy, y: Double

                var transform: VidscanCore.AffineTransform {
                    VidscanCore.AffineTransform(xx: xx, xy: xy, x: x, yx: yx, yy: yy, y: y)
                }
            }
            var chain: String
            var everyFrame: Bool
            var toSource: Map?
        }

        struct Video: Decodable {
            var stream: Int
        }

        struct Counts: Decodable {
            var damagedFramesOrPackets: Int
        }

        var input: Input
        var pipeline: Pipeline
        var filters: Filters?
        var video: Video
        var counts: Counts
    }

    /// As the user named it.
    let name: String
    let record: Record

    /// - Throws: `PipelineError` when it is no result, or lacks a table that is needed.
    init(path: String) throws(PipelineError) {
        name = path
        let failure = { (reason: String) in PipelineError(.result, reason, input: path, stage: .open) }
        guard FileManager.default.fileExists(atPath: path + "/run.json") else {
            throw failure("is no result of vidscan: it has no run.json")
        }
        do throws(PipelineError) {
            record = try RecordFile.decode(Record.self, folder: path, name: "run.json")
            try record.check()
        } catch {
            throw failure(error.reason)
        }
        for table in ["faces.csv", "frames.csv", "events.csv"]
        where !FileManager.default.isReadableFile(atPath: path + "/" + table) {
            throw failure("has no \(table); analyse the video with --format csv")
        }
    }

    /// The video that it is the result of.
    ///
    /// - Parameters:
    ///   - override: another place where the same video lies.
    ///   - acceptsChanges: takes it even if it is another file by its size or date.
    ///   - acceptsCopies: takes a file at the other place though its date is another.
    func source(
        override: String?, acceptsChanges: Bool, acceptsCopies: Bool = true
    ) throws(PipelineError) -> InputFile {
        let path = override ?? record.input.path
        let file: InputFile
        do {
            file = try InputFile(path)
        } catch {
            let hint = override == nil ? "; --input names the video if it lies elsewhere now" : ""
            throw PipelineError(error.code, "its video \(path): \(error.reason)\(hint)", input: name, stage: .open)
        }
        // A copy has another date.
        let isSameDate = (override != nil && acceptsCopies) || abs(file.modified - record.input.modified) < 1e-3
        guard acceptsChanges || (file.bytes == record.input.bytes && isSameDate) else {
            let what = file.bytes == record.input.bytes ? "its date" : "its size"
            throw PipelineError(
                .changed,
                "the video \(path) has changed since it was analysed (\(what)); analyse it again"
                    + (acceptsCopies ? ", or take it as it is by --changed-source" : ""), input: name, stage: .open)
        }
        return file
    }

    /// A video was made of it in which faces are hidden.
    var hidesFaces: Bool {
        record.pipeline.render?.anonymize != nil
            || VideoContainer.allCases.contains {
                FileManager.default.fileExists(atPath: "\(name)/anonymized.\($0.rawValue)")
            }
    }

    /// From places in the tables to places in the video, which filters may have moved; `nil` where nothing is moved.
    ///
    /// - Throws: `PipelineError` when it is not known.
    func placesInSource() throws(PipelineError) -> VidscanCore.AffineTransform? {
        guard let filters = record.filters else { return nil }
        guard let map = filters.toSource else {
            throw PipelineError(
                .result, "was made through filters that move things in a way that cannot be undone: \(filters.chain)",
                input: name, stage: .open)
        }
        let transform = map.transform
        return transform == .identity ? nil : transform
    }
}

extension FinishedResult.Record {
    /// - Throws: `PipelineError` for numbers that no run writes.
    func check() throws(PipelineError) {
        let check = RecordCheck(file: ResultFolder.Kind.result.record)
        try check.integer(input.bytes, "input.bytes", in: ReadLimits.counts)
        try check.number(input.modified, "input.modified", in: ReadLimits.seconds)
        try check.integer(video.stream, "video.stream", in: 0...Int(Int32.max))
        try check.number(pipeline.detect.minFace, "pipeline.detect.min_face", in: ReadLimits.extents)
        try check.map(filters?.toSource?.transform, "filters.to_source")
    }
}
