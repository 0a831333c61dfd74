internal import Synchronization

/// Limits on what is read from a file that may be hostile or broken.
public struct MediaLimits: Sendable, Equatable {
    /// Pixels in one picture. The default admits 8K video and the still images of every camera.
    public var maximumPixels: Int
    /// Duration of a video in seconds, as the container announces it.
    public var maximumDurationSeconds: Double

    public init(maximumPixels: Int = 100_000_000, maximumDurationSeconds: Double = 7 * 86_400) {
        self.maximumPixels = maximumPixels
        self.maximumDurationSeconds = maximumDurationSeconds
    }
}

/// Ends every blocking call of a reader. Any thread may set it; it is never reset.
public final class CancellationFlag: Sendable {
    private let flag = Atomic<Bool>(false)

    public init() {}

    public var isSet: Bool { flag.load(ordering: .relaxed) }

    public func set() { flag.store(true, ordering: .relaxed) }
}
