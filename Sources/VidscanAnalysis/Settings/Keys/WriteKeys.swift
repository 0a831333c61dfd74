internal import VidscanResults

enum WriteKeys {
    static let all = [
        PipelineKey(
            stage: .write, name: "folder", kind: .text, options: ["--output"],
            meaning: "Folder for the results.", absence: "the current one", belongsToRun: true,
            value: { $0.output.folder.map(SettingValue.text) ?? .absent },
            set: { value, configuration in
                if case .text(let folder) = value { configuration.output.folder = folder }
                if value == .absent { configuration.output.folder = nil }
            }),
        PipelineKey(
            .write, "replace", ["--force"], \.output.replaces, "Replace results that are there already.",
            belongsToRun: true),
        PipelineKey(
            stage: .write, name: "formats", kind: .list(OutputFormat.allCases.map(\.rawValue)), options: ["--format"],
            meaning: "What to write, of csv, json, jsonl.", absence: nil, belongsToRun: false,
            value: { .list($0.analysis.formats.map(\.rawValue).sorted()) },
            set: {
                if case .list(let names) = $0 { $1.analysis.formats = Set(names.compactMap(OutputFormat.init)) }
            }),
        PipelineKey(
            .write, "landmarks", ["--landmarks"], \.analysis.writesLandmarks,
            "Write the 478 points of every face, as landmarks.npy."),
        PipelineKey(
            .write, "blendshapes", ["--blendshapes"], \.analysis.writesBlendshapes,
            "Write the 52 ARKit-style scores of every face, as blendshapes.csv."),
        PipelineKey(
            .write, "messages", ["--quiet", "--verbose"], \.messages.level,
            "What to tell: quiet errors only, verbose details too.", belongsToRun: true),
        PipelineKey(
            .write, "log_format", ["--log-format"], \.messages.format,
            "Messages as text, or as one JSON object a line.", belongsToRun: true),
    ]
}
