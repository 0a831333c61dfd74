/// Facts about one filter, from the installed libavfilter and from the tables of this project.
public struct FilterDescription: Sendable, Equatable {
    public let name: String
    /// One line.
    public let summary: String
    /// `other` for a filter in no table.
    public let category: FilterCategory
    /// Media types of its inputs, `video` or `audio`, without those that options may add.
    public let inputs: [String]
    public let outputs: [String]
    public let hasMoreInputs: Bool
    public let hasMoreOutputs: Bool
    /// Whether it depends on one frame alone, so that only sampled frames are filtered. An option that counts frames
    /// overrides this.
    public let isStateless: Bool
    /// Whether it processes slices of a frame in parallel.
    public let isSliceable: Bool
    /// Whether it has the option `enable`, which switches it on and off over time.
    public let supportsTimeline: Bool
    /// What it reaches beyond the frame, for which it needs permission; `nil` if it needs none.
    public let reach: String?
    public let options: [FilterOption]

    /// Whether it fits into a chain by itself, because it has one video input and one video output.
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

    /// A named constant.
    public struct Choice: Sendable, Equatable {
        public let name: String
        public let meaning: String?
        public let value: Int64
    }

    public let name: String
    public let kind: Kind
    public let help: String?
    /// The default value as text; `nil` if the library has none.
    public let defaultText: String?
    /// `nil` if there is none or if it is as wide as the type.
    public let range: ClosedRange<Double>?
    public let choices: [Choice]
    /// The option of which this is a second name.
    public let aliasOf: String?
    /// Whether it names a file, a folder or an address, so that setting it needs permission.
    public let reachesFiles: Bool
}
