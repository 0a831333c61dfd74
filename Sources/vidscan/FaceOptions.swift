public import ArgumentParser
internal import Foundation
public import VidscanAnalysis
public import VidscanInference
internal import VidscanResults

/// How faces are found, followed and measured.
struct FaceOptions: ParsableArguments {
    @Option(help: .of("detect.accuracy"))
    var accuracy: AnalysisOptions.Accuracy?

    @Option(help: .of("detect.faces"))
    var faces: AnalysisOptions.FaceSize?

    @Option(help: .of("track.max_faces", valueName: "count"))
    var maxFaces: Int?

    @Option(help: .of("detect.min_face", valueName: "share"))
    var minFace: Double?

    @Option(help: .of("detect.min_confidence", valueName: "score"))
    var minConfidence: Double?

    @Option(help: .of("track.max_gap", valueName: "seconds"))
    var maxGap: Double?

    @Option(help: .of("track.min_track", valueName: "samples"))
    var minTrack: Int?

    @Flag(inversion: .prefixedNo, help: .of("track.smoothing"))
    var smoothing: Bool?

    @Option(help: .of("detect.precision"))
    var precision: InferencePrecision?

    @Option(help: .of("detect.workers", valueName: "count"))
    var workers: Int?

    @Option(help: .of("measure.metrics", valueName: "list"))
    var metrics: MetricList?

    func overrides() throws -> [ResolvedConfiguration.Override] {
        var list = OverrideList()
        try list.add("detect.accuracy", accuracy.map { .text($0.rawValue) }, "--accuracy")
        try list.add("detect.faces", faces.map { .text($0.rawValue) }, "--faces")
        try list.add("track.max_faces", maxFaces.map { .integer($0) }, "--max-faces")
        try list.add("detect.min_face", minFace.map { .number($0) }, "--min-face")
        try list.add("detect.min_confidence", minConfidence.map { .number($0) }, "--min-confidence")
        try list.add("track.max_gap", maxGap.map { .number($0) }, "--max-gap")
        try list.add("track.min_track", minTrack.map { .integer($0) }, "--min-track")
        try list.add(
            "track.smoothing", smoothing.map { .flag($0) }, smoothing == false ? "--no-smoothing" : "--smoothing")
        try list.add("detect.precision", precision.map { .text($0.rawValue) }, "--precision")
        try list.add("detect.workers", workers.map { .integer($0) }, "--workers")
        try list.add("measure.metrics", metrics.map { .list($0.names) }, "--metrics")
        return list.overrides
    }

    func validate() throws { _ = try overrides() }
}

/// What is written, and where.
struct OutputArguments: ParsableArguments {
    @Option(name: .shortAndLong, help: .of("write.folder", valueName: "folder"))
    var output: String?

    @Flag(help: .of("write.replace"))
    var force = false

    @Option(help: .of("write.formats", valueName: "list"))
    var format: FormatList?

    @Flag(inversion: .prefixedNo, help: .of("write.landmarks"))
    var landmarks: Bool?

    @Flag(inversion: .prefixedNo, help: .of("write.blendshapes"))
    var blendshapes: Bool?

    func overrides() throws -> [ResolvedConfiguration.Override] {
        var list = OverrideList()
        try list.add("write.folder", output.map { .text($0) }, "--output")
        if force { try list.add("write.replace", .flag(true), "--force") }
        try list.add("write.formats", format.map { .list($0.names) }, "--format")
        try list.add("write.landmarks", landmarks.map { .flag($0) }, "--landmarks")
        try list.add("write.blendshapes", blendshapes.map { .flag($0) }, "--blendshapes")
        return list.overrides
    }
}

extension AnalysisOptions.Accuracy: ExpressibleByArgument {}
extension AnalysisOptions.FaceSize: ExpressibleByArgument {}
extension InferencePrecision: ExpressibleByArgument {}

/// `smile,emotions`
struct MetricList: ExpressibleByArgument {
    let names: [String]

    init?(argument: String) {
        names = argument.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard MetricChoice.metrics(named: names) != nil else { return nil }
    }
}

/// `csv,json`
struct FormatList: ExpressibleByArgument {
    let names: [String]

    init?(argument: String) {
        names = argument.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard names.allSatisfy({ OutputFormat(rawValue: $0) != nil }) else { return nil }
    }
}
