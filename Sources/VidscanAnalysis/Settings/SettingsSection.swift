internal import VidscanMedia

/// The sections of a pipeline file, in the order of the data flow.
public enum SettingsSection: String, Sendable, CaseIterable {
    case sample, filters, detect, track, measure, write, render, report

    public var help: String {
        switch self {
        case .sample: "Which frames of a video are analysed."
        case .filters: "FFmpeg filters that every sampled frame passes before detection."
        case .detect: "How faces are detected."
        case .track: "How faces are tracked from frame to frame, and what counts as an event."
        case .measure: "What is measured for each face."
        case .write: "What is written, where, and which messages are shown."
        case .render: "Whether a video is made in which faces are marked, decorated or hidden."
        case .report: "Whether a report page is made."
        }
    }

    public var settings: [Setting] {
        switch self {
        case .sample: Settings.Sample.declarations
        case .filters: [Settings.filtersDeclaration]
        case .detect: Settings.Detect.declarations
        case .track: Settings.Track.declarations
        case .measure: Settings.Measure.declarations
        case .write: Settings.Write.declarations
        case .render: Settings.Render.declarations
        case .report: Settings.Report.declarations
        }
    }

    /// The heading under which the command line's help lists the section's settings by default.
    var group: SettingGroup {
        switch self {
        case .sample: .frames
        case .filters: .filters
        case .detect, .track, .measure: .faces
        case .write: .output
        case .render: .drawing
        case .report: .extras
        }
    }

    /// The setting that makes up the whole section, if the section is a single value.
    var whole: Setting? { settings.first(where: \.name.isEmpty) }

    /// `sample, filters, detect, …`
    static let names = allCases.map(\.rawValue).joined(separator: ", ")
}
