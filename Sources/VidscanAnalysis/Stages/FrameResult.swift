internal import VidscanBase
internal import VidscanFaces
internal import VidscanMedia
internal import VidscanResults

/// The result of analysing one sampled frame.
struct FrameResult: Sendable {
    var sequence: Int
    var index: Int64
    var microseconds: Int64
    /// The number of times that the file's timestamps have jumped before this frame.
    var epoch: Int
    var displaySize: PictureSize
    var signature: FrameSignature
    var quality: FrameQuality
    var isDamaged: Bool
    /// In descending order of confidence.
    var faces: [AnalyzedFace]
    /// For the last frame of a run, the size of the run's frames in bytes, which is its credit.
    var runBytes: Int?
}

extension FrameResult {
    init(_ frame: SampledFrame, signature: FrameSignature, quality: FrameQuality, faces: [AnalyzedFace], runBytes: Int?)
    {
        self.init(
            sequence: frame.sequence, index: frame.index, microseconds: frame.microseconds, epoch: frame.epoch,
            displaySize: frame.geometry.displaySize, signature: signature, quality: quality,
            isDamaged: frame.isDamaged, faces: faces, runBytes: runBytes)
    }
}

extension FrameRecord {
    init(_ result: FrameResult, metrics: Set<Metric>) {
        self.init(
            microseconds: result.microseconds, index: result.index, epoch: result.epoch, size: result.displaySize,
            quality: result.quality, isDamaged: result.isDamaged,
            faces: result.faces.map { FaceRecord($0, metrics: metrics) })
    }
}
