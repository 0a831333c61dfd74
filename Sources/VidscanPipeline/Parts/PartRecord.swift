internal import Foundation
internal import VidscanCore

/// `part.json`: which part of which video a folder holds, and what came of reading it. The settings lie beside it as in
/// `run.json`, so that they are read in the same way.
struct PartRecord: Codable {
    /// The input, as the user named it.
    var name: String
    var input: RunRecord.Input
    var segment: VideoSegment
    /// Of the folder that the joined parts make: `movie.mp4.vidscan`.
    var resultName: String
    var tools: Tools
    var frames: Int
    /// Of one face in the spool, in bytes: it must be read as it was written.
    var faceBytes: Int
    /// Empty when they are not wanted.
    var blendshapeNames: [String]
    var decoded: DecodeStage.Report
    var times: StageTimes
    var wallSeconds: Double

    static let framesFile = "frames.spool"
    static let signaturesFile = "signatures.spool"

    /// The file's root.
    struct File: Encodable {
        /// Tells readers of settings that this is a record and no pipeline.
        var vidscanVersion = Vidscan.version
        var pipeline: JSONValue
        var part: PartRecord
    }
}

/// Sets the frames of one part aside, in a folder that is to stay.
final class PartWriter: FrameSink {
    private let spool: FrameSpool
    private let signatures: SignatureSpool
    private var report = WriteStage.Report()

    /// - Parameter folderPath: of the unfinished part.
    init(folderPath: String, options: AnalysisOptions, blendshapeNames: [String]) throws(PipelineError) {
        spool = try FrameSpool(
            path: "\(folderPath)/\(PartRecord.framesFile)",
            layout: SpoolLayout(options, blendshapeNames: blendshapeNames))
        signatures = try SignatureSpool(path: "\(folderPath)/\(PartRecord.signaturesFile)")
    }

    func add(_ frame: FrameRecord, signature: FrameSignature) throws {
        try spool.append(frame)
        try signatures.append(signature)
        report.add(frame)
    }

    func finish() throws -> WriteStage.Report {
        try spool.deliver()
        try signatures.deliver()
        return report
    }
}
