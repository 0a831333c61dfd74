internal import VidscanBase
internal import VidscanFaces
internal import VidscanResults

/// Sets the frames of one part aside, in a folder that is to stay.
final class PartWriter: FrameSink {
    private let spool: FrameSpool
    private let signatures: SignatureSpool
    private var report = WriteStage.Report()

    /// - Parameter folderPath: of the unfinished part.
    init(folderPath: String, settings: Settings, blendshapeNames: [String]) throws(VidscanError) {
        spool = try FrameSpool(
            path: "\(folderPath)/\(PartRecord.framesFile)",
            layout: SpoolLayout(hasMesh: settings.write.landmarks, blendshapeCount: blendshapeNames.count))
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
