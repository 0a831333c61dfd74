public import VidscanBase
internal import VidscanResults

/// A sampled frame and its faces.
public struct VideoFrame: Sendable {
    /// The presentation time in microseconds on the video's clock, which a player shows.
    public let microseconds: Int64
    /// The index in presentation order among all frames of the stream, from 0.
    public let index: Int64
    /// The size of the upright frame with square pixels.
    public let size: PictureSize
    /// The faces by ascending `id`.
    public let faces: [Face]

    /// The presentation time in seconds.
    public var seconds: Double { Double(microseconds) / 1e6 }

    init(_ frame: FrameRecord, faces: [Face]) {
        microseconds = frame.microseconds
        index = frame.index
        size = frame.size
        self.faces = faces
    }
}
