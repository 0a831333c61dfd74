/// A place where one shot ends and another begins.
public struct ShotChange: Sendable, Equatable {
    public enum Kind: String, Sendable {
        /// From one picture to the next.
        case hard
        /// A dissolve, or a fade through black.
        case gradual
        /// The file's timestamps jump: nothing tells how the picture before relates to this one, and nothing is linked.
        case discontinuity
    }

    public var kind: Kind
    /// The first sample of the new shot; of a gradual change, the first in which it prevails.
    public var sample: Int
    /// That sample's time.
    public var seconds: Double

    public init(kind: Kind, sample: Int, seconds: Double) {
        self.kind = kind
        self.sample = sample
        self.seconds = seconds
    }
}
