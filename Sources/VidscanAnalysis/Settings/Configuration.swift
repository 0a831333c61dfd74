/// Everything that a run can be told: what a pipeline file and the command line together come to.
public struct Configuration: Sendable, Equatable {
    public var analysis: AnalysisOptions
    public var output = OutputOptions()
    public var messages = MessageOptions()

    public var render: RenderSettings {
        get { analysis.render }
        set { analysis.render = newValue }
    }
    public var report: ReportSettings {
        get { analysis.report }
        set { analysis.report = newValue }
    }

    /// The defaults.
    public init(workers: Int) {
        analysis = AnalysisOptions(workers: workers)
    }

    /// What a run with these options would have been told; output and messages at their defaults.
    init(analysis: AnalysisOptions) {
        self.analysis = analysis
    }
}

/// Where results go.
public struct OutputOptions: Sendable, Equatable {
    /// `nil` is the current one.
    public var folder: String?
    public var replaces = false
}

/// What is told while a run is under way.
public struct MessageOptions: Sendable, Equatable {
    public enum Level: String, Sendable, CaseIterable {
        /// Errors only.
        case quiet
        case normal
        /// Details too.
        case verbose
    }

    public enum Format: String, Sendable, CaseIterable {
        case text
        /// One object a line.
        case json
    }

    public var level = Level.normal
    public var format = Format.text
}
