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
}
