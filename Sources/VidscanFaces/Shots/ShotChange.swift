/// A transition from one shot to another.
public struct ShotChange: Sendable, Equatable {
    /// The kind of transition.
    public enum Kind: String, Sendable {
        /// A change from one frame to the next.
        case hard
        /// A dissolve or a fade through black.
        case gradual
        /// A jump of the file's timestamps. Nothing indicates how the frames before and after it relate, so nothing is
        /// linked across it.
        case discontinuity
    }

    public var kind: Kind
    /// The first sample of the new shot; for a gradual change, the first in which the new shot prevails.
    public var sample: Int
    /// The time of that sample.
    public var seconds: Double

    public init(kind: Kind, sample: Int, seconds: Double) {
        self.kind = kind
        self.sample = sample
        self.seconds = seconds
    }
}
