internal import VidscanBase
internal import VidscanFaces
internal import VidscanResults

/// What one sampled frame came to.
struct FrameResult: Sendable {
    var sequence: Int
    var index: Int64
    var microseconds: Int64
    /// How many times the file's timestamps have jumped before it.
    var epoch: Int
    var displaySize: PictureSize
    var signature: FrameSignature
    /// Surest first.
    var faces: [AnalyzedFace]
    /// Bytes of the frame, whose credit goes back when this result has been emitted.
    var byteCount: Int
}

extension FrameRecord {
    init(_ result: FrameResult, metrics: Set<Metric>) {
        self.init(
            microseconds: result.microseconds, index: result.index, epoch: result.epoch, size: result.displaySize,
            faces: result.faces.map { FaceRecord($0, metrics: metrics) })
    }
}
