internal import Synchronization

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

/// Set once, from any thread, to end every blocking call of a reader.
public final class CancellationFlag: Sendable {
    private let flag = Atomic<Bool>(false)

    public init() {}

    public var isSet: Bool { flag.load(ordering: .relaxed) }

    public func set() { flag.store(true, ordering: .relaxed) }
}
