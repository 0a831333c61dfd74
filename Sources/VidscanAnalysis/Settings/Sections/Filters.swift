internal import VidscanMedia

extension Settings {
    /// The section `filters`, which is a single value.
    static let filtersDeclaration = Setting(
        .filters, "", \.filters, options: [.value("filter")], null: "none",
        "FFmpeg filters that each frame passes before detection, such as eq=brightness=0.1. Repeat the option to chain"
            + " filters; they replace those of a pipeline.")
}
