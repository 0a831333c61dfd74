internal import VidscanBase
internal import VidscanFaces
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
    /// In descending order of confidence.
    var faces: [AnalyzedFace]
    /// The size of the frame in bytes. Its credit is returned when this result has been written.
    var byteCount: Int
}

extension FrameRecord {
    init(_ result: FrameResult, metrics: Set<Metric>) {
        self.init(
            microseconds: result.microseconds, index: result.index, epoch: result.epoch, size: result.displaySize,
            faces: result.faces.map { FaceRecord($0, metrics: metrics) })
    }
}
