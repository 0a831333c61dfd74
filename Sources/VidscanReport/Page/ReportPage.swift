internal import Foundation
internal import VidscanBase
internal import VidscanFaces
internal import VidscanResults

/// What the page of a result shows.
struct ReportPage {
    private static let maximumEvents = 20_000
    private static let tableMetrics = [
        "smile", "left_eye_openness", "right_eye_openness", "yaw", "pitch", "attention", "valence", "joy", "surprise",
        "anger", "sadness",
    ]

    let result: StoredResult
    let title: String
    /// Notes and names may reveal a person, so such a page has none.
    let hidesFaces: Bool
    let faces: [ReportedFace]
    let leftOut: Set<Int>
    let events: [ReportedEvent]
    let samples: SampleTimes
    let pictures: [Int: String]
    let video: PageVideo?

    private var record: RunRecord { result.record }

    // MARK: Text

    func html(for path: String, notices: [String]) throws(VidscanError) -> String {
        let (data, rows) = try data()
        let counts = record.counts
        let summary = [
            TimeText.clock(Int64((record.video.durationSeconds ?? samples.range.upperBound) * 1e6)),
            NumberText.count(samples.count, "sample"), NumberText.count(counts.faceIds, "face"),
            "\(counts.personIds) \(counts.personIds == 1 ? "person" : "people")",
            NumberText.count(counts.hardCuts + counts.gradualCuts, "cut"),
        ].joined(separator: " · ")
        let metrics = Self.tableMetrics.filter { name in faces.contains { $0.measures[name]?.mean != nil } }
        let hasBlinks = faces.contains { $0.blinkRate != nil }
        let heads =
            ["face", "person", "first", "last", "visible (s)", "samples", "appearances"]
            + (hasBlinks ? ["blinks per minute"] : []) + metrics.map { $0.replacing("_", with: " ") }
        let tracks = faces.map { face in
            [
                "\(face.id)", face.personID.map(String.init) ?? "", clock(face.firstSeconds), clock(face.lastSeconds),
                tenths(face.visibleSeconds), "\(face.samples)", "\(face.appearances)",
            ] + (hasBlinks ? [face.blinkRate.map(tenths) ?? ""] : []) + metrics.map { mean($0, of: face) }
        }
        let head = PageHead(
            .report, title: title, summary: summary, warnings: record.warnings, notices: notices,
            loads: video == nil ? .nothing : .video)
        let content: [String: Any] = [
            "head": head, "video": video.map { [$0] } ?? [], "trackHeads": heads.map { PageCell($0) },
            "tracks": tracks.map { $0.map { PageCell($0) } }, "facts": facts, "data": try data.json(),
            "rows": Data(rows).base64EncodedString(),
        ]
        return try PageTemplate.report.render(content, for: path)
    }

    private var facts: [PageFact] {
        let (video, rate, detect) = (record.video, record.pipeline.sample.rate, record.pipeline.detect)
        var facts = [
            PageFact("Video", hidesFaces ? title : record.input.path),
            PageFact("Format", "\(video.codec) in \(video.format)"),
        ]
        if let width = video.displayWidth, let height = video.displayHeight {
            facts.append(PageFact("Upright frame", "\(width) × \(height)"))
        }
        return facts + [
            PageFact("Sampling", rate == .everyFrame ? "every frame" : "\(rate) per second"),
            PageFact("Detector", "accuracy \(detect.accuracy.rawValue), faces \(detect.faces.rawValue)"),
            PageFact("Faces in all samples", "\(record.counts.faces)"),
            PageFact("Container's start", String(format: "%.3f s", video.containerStartSeconds)),
            PageFact("Took", String(format: "%.1f s", record.timings.wallSeconds)),
            PageFact("Made by", "vidscan \(record.vidscanVersion)"),
        ]
    }

    /// `63.6`, or `63.6 (28 %)` if only that fraction of the samples has the metric.
    private func mean(_ metric: String, of face: ReportedFace) -> String {
        guard let measure = face.measures[metric], let mean = measure.mean else { return "" }
        guard let count = measure.samples, count < face.samples else { return tenths(mean) }
        return "\(tenths(mean)) (\(Int((100 * Double(count) / Double(face.samples)).rounded())) %)"
    }

    private func tenths(_ value: Double) -> String { String(format: "%.1f", value) }

    private func clock(_ seconds: Double) -> String {
        let microseconds = Int64((seconds * 1e6).rounded())
        return TimeText.clock(microseconds) + String(format: ".%02d", (microseconds / 10000) % 100)
    }

    // MARK: Data

    func data() throws(VidscanError) -> (data: PageData, rows: [UInt8]) {
        let size = (
            width: record.filters?.sourceWidth ?? record.video.displayWidth ?? 1,
            height: record.filters?.sourceHeight ?? record.video.displayHeight ?? 1
        )
        guard ReadLimits.sides.contains(size.width), ReadLimits.sides.contains(size.height) else {
            throw VidscanError(.result, "run.json gives a frame of impossible size", input: result.name, stage: .open)
        }
        let rows = try PageRows(
            result.name, faces: faces.map(\.id), leftOut: leftOut, times: samples.microseconds,
            expected: leftOut.isEmpty ? record.counts.faces : faces.reduce(0) { $0 + $1.samples }, size: size,
            map: try result.mapToSource())
        let last = samples.range.upperBound + samples.interval
        let data = PageData(
            video: .init(
                name: title, bytes: record.input.bytes, width: size.width, height: size.height, advice: video?.advice),
            start: min(0, samples.range.lowerBound), end: max(record.video.durationSeconds ?? 0, last, 0.04),
            interval: samples.interval, stride: rows.stride, samples: samples.count, rows: rows.count,
            columns: rows.columns, metrics: PageRows.metrics.map(metric), tracks: tracks(rows),
            pictures: Dictionary(uniqueKeysWithValues: pictures.map { ("\($0)", $1) }), events: packedEvents(),
            cuts: events.filter { $0.kind == .shotCut }.prefix(Self.maximumEvents).map {
                .init(time: $0.seconds, isGradual: $0.value == "gradual")
            }, corrections: (record.corrections?.list ?? []).filter { !hidesFaces || !Self.mayName($0) },
            names: hidesFaces
                ? [:] : Dictionary(uniqueKeysWithValues: (record.corrections?.people ?? [:]).map { ("\($0)", $1) }),
            excluded: (record.corrections?.excluded ?? []).map { [$0.from, $0.to] })
        return (data, try Deflate.compress(rows.bytes))
    }

    /// Whether a correction contains the user's own text.
    private static func mayName(_ correction: JSONValue) -> Bool {
        guard case .object(let members) = correction else { return true }
        return members["do"] == .text("note") || members["do"] == .text("name")
    }

    private func metric(_ field: FaceField) -> PageData.Metric {
        var isExperimental = false
        if case .metric(let metric) = field { isExperimental = metric.status == .experimental }
        return PageData.Metric(
            name: field.name, unit: field.unit, meaning: field.meaning, low: field.range.lowerBound,
            high: field.range.upperBound, isExperimental: isExperimental)
    }

    private func tracks(_ rows: PageRows) -> [PageData.Track] {
        return faces.compactMap { face in
            guard let range = rows.ranges[face.id] else { return nil }
            var rest: [String: Double] = [:]
            for (index, metric) in PageRows.metrics.enumerated() { rest["\(index)"] = face.measures[metric.name]?.rest }
            let mood = Metric.likeliest(of: Metric.namedEmotions) { face.measures[$0.rawValue]?.mean }
            return PageData.Track(
                id: face.id, person: face.personID, personConfidence: face.personConfidence,
                certainty: ((rows.certainty[face.id] ?? 0) * 1000).rounded() / 1000, row: range.lowerBound,
                rows: range.count, best: Double(face.bestMicroseconds) / 1e6,
                mood: mood.map { "\($0.metric.rawValue) \(Int($0.score.rounded()))" }, rest: rest)
        }
    }

    private func packedEvents() -> PageData.Events {
        var packed = PageData.Events()
        packed.kinds = Array(Set(events.map(\.kind.rawValue))).sorted()
        let positions = Dictionary(uniqueKeysWithValues: packed.kinds.enumerated().map { ($1, $0) })
        packed.count = events.count
        for event in events.prefix(Self.maximumEvents) {
            packed.time.append(event.seconds)
            packed.kind.append(positions[event.kind.rawValue] ?? 0)
            packed.face.append(event.faceID)
            packed.value.append(event.value)
            packed.measured.append(event.measuredFraction.map { Int((100 * $0).rounded()) })
        }
        return packed
    }
}
