internal import VidscanBase

/// The sections of a pipeline file, in the order of the data flow. A new one is a case here and a list of keys in a file of
/// its own.
public enum PipelineStage: String, Sendable, CaseIterable {
    case sample, filters, detect, track, measure, write, render, report

    public var meaning: String {
        switch self {
        case .sample: "Which frames of a video are looked at."
        case .filters: "What every sampled picture goes through before faces are looked for: filters of FFmpeg's."
        case .detect: "How faces are found in a picture."
        case .track: "How faces are followed from picture to picture, and what counts as an event."
        case .measure: "What is measured of each face."
        case .write: "What is written, where, and what is told."
        case .render: "Which video is made of the result: faces marked, decorated or hidden."
        case .report: "Which page is made of the result."
        }
    }

    var keys: [PipelineKey] {
        switch self {
        case .sample: SampleKeys.all
        case .filters: FilterKeys.all
        case .detect: DetectKeys.all
        case .track: TrackKeys.all
        case .measure: MeasureKeys.all
        case .write: WriteKeys.all
        case .render: RenderKeys.all
        case .report: ReportKeys.all
        }
    }
}

/// One setting: its name in a pipeline file, what it takes and means, the options of the command line that set it, and where
/// it lies in the configuration. Reading, checking, showing, the schema and `run.json` all go by this description.
public struct PipelineKey: Sendable {
    public let stage: PipelineStage
    /// Empty for a stage that is one value itself.
    public let name: String
    public let kind: SettingKind
    /// `--rate`, …
    public let options: [String]
    public let meaning: String
    /// What it means when the key is not set; `nil` for keys that always have a value.
    public let absence: String?
    /// Belongs to one run and not to what comes of it: it is not recorded, so that a repetition does not inherit it.
    public let belongsToRun: Bool
    let value: @Sendable (Configuration) -> SettingValue
    let set: @Sendable (SettingValue, inout Configuration) -> Void

    /// `detect.accuracy`
    public var path: String { name.isEmpty ? stage.rawValue : stage.rawValue + "." + name }

    /// The default as people read it; `nil` where nothing is to be said.
    public var presetText: String? {
        if let absence { return absence }
        switch value(Configuration(workers: 1)) {
        case .absent, .flag(false): return nil
        case .flag(true): return "true"
        case .integer(let value): return "\(value)"
        case .number(let value): return NumberText.plain(value)
        case .text(let text): return text
        case .list(let names): return names.joined(separator: ",")
        case .filters(let chain): return chain.text
        }
    }

    /// All of them, in the order of the data flow.
    public static let all = PipelineStage.allCases.flatMap(\.keys)

    public static func at(_ path: String) -> PipelineKey? { byPath[path] }

    private static let byPath = Dictionary(uniqueKeysWithValues: all.map { ($0.path, $0) })
}

/// Where a value lies in the configuration.
typealias Place<Value> = WritableKeyPath<Configuration, Value> & Sendable

extension PipelineKey {
    init(
        _ stage: PipelineStage, _ name: String, _ options: [String], _ place: any Place<Bool>, _ meaning: String,
        belongsToRun: Bool = false
    ) {
        self.init(
            stage: stage, name: name, kind: .flag, options: options, meaning: meaning, absence: nil,
            belongsToRun: belongsToRun,
            value: { .flag($0[keyPath: place]) },
            set: { if case .flag(let value) = $0 { $1[keyPath: place] = value } })
    }

    init(
        _ stage: PipelineStage, _ name: String, _ options: [String], _ place: any Place<Double>,
        _ range: ClosedRange<Double>, unit: String? = nil, _ meaning: String
    ) {
        self.init(
            stage: stage, name: name, kind: .number(range, unit: unit), options: options, meaning: meaning,
            absence: nil,
            belongsToRun: false,
            value: { .number($0[keyPath: place]) },
            set: { if case .number(let value) = $0 { $1[keyPath: place] = value } })
    }

    init(
        _ stage: PipelineStage, _ name: String, _ options: [String], _ place: any Place<Int>, _ range: ClosedRange<Int>,
        _ meaning: String, absence: String? = nil, belongsToRun: Bool = false
    ) {
        self.init(
            stage: stage, name: name, kind: .integer(range), options: options, meaning: meaning, absence: absence,
            belongsToRun: belongsToRun,
            value: { .integer($0[keyPath: place]) },
            set: { if case .integer(let value) = $0 { $1[keyPath: place] = value } })
    }

    init(
        _ stage: PipelineStage, _ name: String, _ options: [String], _ place: any Place<Int?>,
        _ range: ClosedRange<Int>,
        _ meaning: String, absence: String
    ) {
        self.init(
            stage: stage, name: name, kind: .integer(range), options: options, meaning: meaning, absence: absence,
            belongsToRun: false,
            value: { $0[keyPath: place].map(SettingValue.integer) ?? .absent },
            set: { value, configuration in
                if case .integer(let number) = value { configuration[keyPath: place] = number }
                if value == .absent { configuration[keyPath: place] = nil }
            })
    }

    init(
        _ stage: PipelineStage, _ name: String, _ options: [String], optional place: any Place<Double?>,
        _ range: ClosedRange<Double>, _ meaning: String, absence: String
    ) {
        self.init(
            stage: stage, name: name, kind: .number(range, unit: nil), options: options, meaning: meaning,
            absence: absence, belongsToRun: false,
            value: { $0[keyPath: place].map(SettingValue.number) ?? .absent },
            set: { value, configuration in
                if case .number(let number) = value { configuration[keyPath: place] = number }
                if value == .absent { configuration[keyPath: place] = nil }
            })
    }

    /// One of an enumeration's names, or none.
    init<Choice: RawRepresentable & CaseIterable & Sendable>(
        _ stage: PipelineStage, _ name: String, _ options: [String], optional place: any Place<Choice?>,
        _ meaning: String, absence: String
    ) where Choice.RawValue == String {
        self.init(
            stage: stage, name: name, kind: .choice(Choice.allCases.map(\.rawValue)), options: options,
            meaning: meaning, absence: absence, belongsToRun: false,
            value: { $0[keyPath: place].map { .text($0.rawValue) } ?? .absent },
            set: { value, configuration in
                if case .text(let name) = value, let choice = Choice(rawValue: name) {
                    configuration[keyPath: place] = choice
                }
                if value == .absent { configuration[keyPath: place] = nil }
            })
    }

    /// One of an enumeration's names.
    init<Choice: RawRepresentable & CaseIterable & Sendable>(
        _ stage: PipelineStage, _ name: String, _ options: [String], _ place: any Place<Choice>, _ meaning: String,
        belongsToRun: Bool = false
    ) where Choice.RawValue == String {
        self.init(
            stage: stage, name: name, kind: .choice(Choice.allCases.map(\.rawValue)), options: options,
            meaning: meaning,
            absence: nil, belongsToRun: belongsToRun,
            value: { .text($0[keyPath: place].rawValue) },
            set: {
                if case .text(let name) = $0, let choice = Choice(rawValue: name) { $1[keyPath: place] = choice }
            })
    }

    /// A position in a video, in microseconds.
    init(
        _ stage: PipelineStage, _ name: String, _ options: [String], time place: any Place<Int64?>, _ meaning: String,
        absence: String
    ) {
        self.init(
            stage: stage, name: name, kind: .time, options: options, meaning: meaning, absence: absence,
            belongsToRun: false,
            value: { $0[keyPath: place].map { .number(Double($0) / 1e6) } ?? .absent },
            set: { value, configuration in
                if case .number(let seconds) = value {
                    configuration[keyPath: place] = Int64((seconds * 1e6).rounded())
                }
                if value == .absent { configuration[keyPath: place] = nil }
            })
    }
}
