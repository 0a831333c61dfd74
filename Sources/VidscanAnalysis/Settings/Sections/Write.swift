public import VidscanResults

extension Settings {
    /// What is written, where, and which messages are shown.
    public struct Write: Sendable, Equatable {
        /// The folder for the results; `nil` is the current folder. Only the command uses it.
        public var folder: String?
        /// Whether to replace existing results.
        public var replaces = false
        public var formats: Set<OutputFormat> = [.csv]
        /// What `openface.csv` has where a value is not known.
        public var openFaceBlanks = OpenFaceBlanks.zero
        /// Whether tables stay in the result; `nil` keeps them, unless faces are hidden and nothing else asks for tables.
        /// Resolved settings of a run that hides faces have a value.
        public var tables: Bool?
        /// Whether to write `landmarks.npy`.
        public var landmarks = false
        /// Whether to write `blendshapes.csv`.
        public var blendshapes = false
        public var messages = MessageOptions.Level.normal
        public var logFormat = MessageOptions.Format.text

        /// Whether the meshes of the faces are kept until the tables are written.
        var keepsMeshes: Bool { landmarks || formats.contains(where: \.needsMeshes) }
        package var keepsTables: Bool { tables ?? true }
    }

    static let writeSection = SettingsSection(
        "write", "What is written, where, and which messages are shown.", group: .output,
        [
            Setting(
                "folder", \.write.folder, .folder, options: [.value("output", "folder", short: "o")],
                null: "the current folder", isRecorded: false
            ).help("Folder for the results."),
            Setting("replace", \.write.replaces, options: [.flag("force")], isRecorded: false).help(
                "Replace existing results."),
            Setting("formats", \.write.formats, options: [.value("format", "list")]).help(
                "Formats to write: csv, json, jsonl, and the tables of other programs: openface, pyfeat."
                    + " Reports, videos and exports are made from csv."),
            Setting("openface_blanks", \.write.openFaceBlanks, value: "how").help(
                "Missing values in openface.csv: zero, as in OpenFace, or nan (blank)."),
            Setting(
                "tables", \.write.tables, options: [.onOff("tables")],
                null: "true, unless faces are hidden and no other setting asks for tables"
            ).help("Keep the tables. Beside a video with hidden faces, they still describe the people."),
            Setting("landmarks", \.write.landmarks, options: [.onOff("landmarks")]).help(
                "Write the 478 landmarks of every face to landmarks.npy."),
            Setting("blendshapes", \.write.blendshapes, options: [.onOff("blendshapes")]).help(
                "Write the 52 ARKit-style scores of every face to blendshapes.csv."),
            Setting(
                "messages", \.write.messages,
                options: [
                    .flag("quiet", short: "q", sets: "quiet", "Show errors only."),
                    .flag("verbose", short: "v", sets: "verbose", "Show details."),
                ],
                isRecorded: false, group: .messages
            ).help("Messages to show: quiet shows errors only, verbose adds details."),
            Setting("log_format", \.write.logFormat, value: "log-format", isRecorded: false, group: .messages).help(
                "Format of messages: text, or one JSON object per line."),
        ])

    /// The report page that is made from a result.
    package struct Report: Sendable, Equatable {
        package var page = false
        /// Whether the page shows thumbnails; `nil` shows them unless faces are hidden.
        package var thumbnails: Bool?
    }

    static let reportSection = SettingsSection(
        "report", "Whether a report page is made.", group: .extras,
        [
            Setting("page", \.report.page, options: [.flag("report")]).help(
                "Make a report page, report.html, which plays the video: people, timeline, curves, events."),
            Setting(
                "thumbnails", \.report.thumbnails, options: [.onOff("thumbnails")],
                null: "shown, unless faces are hidden"
            ).help("Show thumbnails of the faces in the report."),
        ])
}

extension OutputFormat: SettingChoice {}
extension OpenFaceBlanks: SettingChoice {}
extension MessageOptions.Level: SettingChoice {}
extension MessageOptions.Format: SettingChoice {}

/// Which messages a run shows, and in which format.
public struct MessageOptions: Sendable, Equatable {
    public enum Level: String, Sendable, CaseIterable {
        /// Errors only.
        case quiet
        case normal
        case verbose
    }

    public enum Format: String, Sendable, CaseIterable {
        case text
        /// One JSON object per line.
        case json
    }

    public var level: Level
    public var format: Format

    package init(level: Level = .normal, format: Format = .text) { (self.level, self.format) = (level, format) }
}
