enum FilterKeys {
    static let all = [
        PipelineKey(
            stage: .filters, name: "", kind: .filters, options: ["--filter"],
            meaning: "Filters that each picture goes through before faces are looked for, in FFmpeg's syntax.",
            absence: "none", belongsToRun: false,
            value: { $0.analysis.filters.map(SettingValue.filters) ?? .absent },
            set: { value, configuration in
                if case .filters(let chain) = value { configuration.analysis.filters = chain }
                if value == .absent { configuration.analysis.filters = nil }
            })
    ]
}
