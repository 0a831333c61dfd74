extension Settings {
    /// The report page that is made from a result.
    package struct Report: Sendable, Equatable {
        package var page = false
        /// Whether the page shows thumbnails; `nil` shows them unless faces are hidden.
        package var thumbnails: Bool?
    }
}

extension Settings.Report {
    static let section = SettingsSection(
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
