/// What the installed libavfilter, and the tables of this project, say of one filter.
public struct FilterDescription: Sendable, Equatable {
    public let name: String
    /// One line.
    public let summary: String
    /// Of a filter that no table knows, `other`.
    public let category: FilterCategory
    /// Media types of its inputs: `video`, `audio`; those that its options may add are not among them.
    public let inputs: [String]
    public let outputs: [String]
    public let hasMoreInputs: Bool
    public let hasMoreOutputs: Bool
    /// Needs only the frame that it is given (unless an option counts frames): it is evaluated for sampled frames only.
    public let isStateless: Bool
    /// Parts of a picture can be worked on at the same time.
    public let isSliceable: Bool
    /// Knows the option `enable`, which switches it on and off by time.
    public let supportsTimeline: Bool
    /// What it reaches beyond the picture; such a filter needs permission.
    public let reach: String?
    public let options: [FilterOption]

    /// Whether a chain can hold it as it is: one video in, one video out.
    public var isVideoToVideo: Bool {
        inputs == ["video"] && outputs == ["video"] && !hasMoreInputs && !hasMoreOutputs
    }
}

/// One option of a filter.
public struct FilterOption: Sendable, Equatable {
    public enum Kind: String, Sendable {
        case flag, integer, number, text, rational, choice, flags, size, rate, duration, color, dictionary, binary
        case pixelFormat = "pixel format"
        case other
    }

    /// One of the words that stand for a value.
    public struct Choice: Sendable, Equatable {
        public let name: String
        public let meaning: String?
        public let value: Int64
    }

    public let name: String
    public let kind: Kind
    public let help: String?
    /// As it would be written; `nil` when the library tells none.
    public let defaultText: String?
    /// `nil` where there is none, or as wide as the type.
    public let range: ClosedRange<Double>?
    public let choices: [Choice]
    /// The option's first name, of those that are a second one for it.
    public let aliasOf: String?
    /// Names a file, a folder or an address: setting it needs permission.
    public let reachesFiles: Bool
}
