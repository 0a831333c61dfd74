/// Limits on what is read from a file that may be hostile or broken.
public struct MediaLimits: Sendable, Equatable {
    /// Pixels in one frame. The default admits 8K video and the still images of every camera.
    public var maximumPixels: Int
    /// Duration of a video in seconds, as the container announces it.
    public var maximumDurationSeconds: Double

    public init(maximumPixels: Int = 100_000_000, maximumDurationSeconds: Double = 7 * 86_400) {
        self.maximumPixels = maximumPixels
        self.maximumDurationSeconds = maximumDurationSeconds
    }

    /// What libavcodec gets as its limit, which stops a hostile file before its memory is allocated. The exact limit is checked
    /// for each frame. libavcodec counts the width rounded up to a multiple of 64, which is at most twice as much in frames that
    /// are 32 pixels wide, and 65536 rows of 64 pixels in narrower ones.
    var decoderPixels: Int64 {
        let (doubled, overflows) = Int64(maximumPixels).multipliedReportingOverflow(by: 2)
        return overflows ? .max : doubled &+ min(64 * 65_536, .max - doubled)
    }
}
