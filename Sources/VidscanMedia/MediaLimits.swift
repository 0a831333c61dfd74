/// How much of a hostile or broken file is put up with.
public struct MediaLimits: Sendable, Equatable {
    /// Pixels of one picture; the default takes 8K and every camera's stills.
    public var maximumPixels: Int
    /// Seconds of video, as the container announces it.
    public var maximumDurationSeconds: Double

    public init(maximumPixels: Int = 100_000_000, maximumDurationSeconds: Double = 7 * 86_400) {
        self.maximumPixels = maximumPixels
        self.maximumDurationSeconds = maximumDurationSeconds
    }
}
