internal import VidscanBase
internal import VidscanFaces
internal import VidscanResults

/// Writes the frames of one segment to intermediate files in the segment's folder.
final class SegmentWriter: FrameSink {
    private let intermediate: IntermediateFrameFile
    private let signatures: SignatureFile
    private var report = WriteStage.Report()

    /// - Parameter folderPath: The folder of the unfinished segment.
    init(folderPath: String, settings: Settings, blendshapeNames: [String]) throws(VidscanError) {
        intermediate = try IntermediateFrameFile(
            path: "\(folderPath)/\(SegmentRecord.framesFile)",
            layout: FaceRecordLayout(hasMesh: settings.write.keepsMeshes, blendshapeCount: blendshapeNames.count))
        signatures = try SignatureFile(path: "\(folderPath)/\(SegmentRecord.signaturesFile)")
    }

    func add(_ frame: FrameRecord, signature: FrameSignature) throws {
        try intermediate.append(frame)
        try signatures.append(signature)
        report.add(frame)
    }

    func finish() throws -> WriteStage.Report {
        try intermediate.deliver()
        try signatures.deliver()
        return report
    }
}
