public import VidscanBase
internal import VidscanFaces
internal import VidscanResults

/// A sampled frame and its faces.
public struct VideoFrame: Sendable {
    /// The presentation time in microseconds on the video's clock, which a player shows.
    public let microseconds: Int64
    /// The index in presentation order among all frames of the stream, from 0.
    public let index: Int64
    /// The size of the upright frame with square pixels.
    public let size: PictureSize
    /// The mean luma of the frame: 0 is black, 100 is white.
    public let luma: Double
    /// The variance of the Laplacian of the frame's luma, in the size in which faces are searched: small if the frame is
    /// blurred or has little detail.
    public let sharpness: Double
    /// Whether the frame, or one that it may be predicted from, comes from damaged data.
    public let isDamaged: Bool
    /// The number of the shot, from 1; `nil` in a `VideoUpdate.sample`, when the cuts are not known yet.
    public let shot: Int?
    /// The faces by ascending `id`.
    public let faces: [Face]

    /// The presentation time in seconds.
    public var seconds: Double { Double(microseconds) / 1e6 }

    init(_ frame: FrameRecord, shot: Int?, faces: [Face]) {
        microseconds = frame.microseconds
        index = frame.index
        size = frame.size
        luma = frame.quality.luma
        sharpness = frame.quality.sharpness
        isDamaged = frame.isDamaged
        self.shot = shot
        self.faces = faces
    }
}
