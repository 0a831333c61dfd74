internal import Foundation
internal import VidscanBase
internal import VidscanFaces
internal import VidscanResults

/// The contents of `run.json`, formatted for a page.
struct ReportFacts {
    private struct Record: Decodable {
        struct Input: Decodable { var path: String }
        struct Video: Decodable {
            var format: String
            var codec: String
            var displayWidth: Int?
            var displayHeight: Int?
            var durationSeconds: Double?
            var containerStartSeconds: Double
        }
        struct Counts: Decodable {
            var sampledFrames: Int
            var faces: Int
            var faceIds: Int
            var personIds: Int
            var hardCuts: Int
            var gradualCuts: Int
        }
        struct Timings: Decodable { var wallSeconds: Double }
        var vidscanVersion: String
        var input: Input
        var video: Video
        var pipeline: StoredResult.Record.Pipeline
        var counts: Counts
        var warnings: [String]
        var notices: [String]
        var timings: Timings
    }

    private let record: Record
    private let namesFileOnly: Bool
    var notices: [String]

    /// Reads and checks the record of a result.
    ///
    /// - Parameters:
    ///   - path: The path of the result.
    ///   - namesFileOnly: Whether the page gives only the name of the video, without its folder.
    /// - Throws: `VidscanError` if `run.json` cannot be read or contains an invalid value.
    init(path: String, namesFileOnly: Bool) throws(VidscanError) {
        self.namesFileOnly = namesFileOnly
        record = try RecordFile.decode(Record.self, folder: path, name: ResultFolder.Kind.result.record)
        let check = RecordCheck(file: ResultFolder.Kind.result.record)
        try check.number(record.video.durationSeconds, "video.duration_seconds", in: ReadLimits.seconds)
        try check.number(record.video.containerStartSeconds, "video.container_start_seconds", in: ReadLimits.seconds)
        try check.number(record.timings.wallSeconds, "timings.wall_seconds", in: ReadLimits.durations)
        try check.integer(record.video.displayWidth, "video.display_width", in: ReadLimits.sides)
        try check.integer(record.video.displayHeight, "video.display_height", in: ReadLimits.sides)
        let counts = record.counts
        for (value, key) in [
            (counts.sampledFrames, "sampled_frames"), (counts.faces, "faces"), (counts.faceIds, "face_ids"),
            (counts.personIds, "person_ids"), (counts.hardCuts, "hard_cuts"), (counts.gradualCuts, "gradual_cuts"),
        ] {
            try check.count(value, "counts.\(key)")
        }
        notices = record.notices
    }

    var title: String { FilePath.name(of: record.input.path) }
    var warnings: [String] { record.warnings }

    func summary(samples: SampleTimes) -> String {
        let counts = record.counts
        let cuts = counts.hardCuts + counts.gradualCuts
        return [
            TimeText.clock(Int64((record.video.durationSeconds ?? samples.range.upperBound) * 1e6)),
            NumberText.count(samples.count, "sample"),
            NumberText.count(counts.faceIds, "face"),
            "\(counts.personIds) confirmed \(counts.personIds == 1 ? "person" : "people")",
            NumberText.count(cuts, "cut"),
        ].joined(separator: " · ")
    }

    var facts: [ReportPage.Fact] {
        let video = record.video
        var facts = [
            ReportPage.Fact("Video", namesFileOnly ? title : record.input.path),
            ReportPage.Fact("Format", "\(video.codec) in \(video.format)"),
        ]
        if let width = video.displayWidth, let height = video.displayHeight {
            facts.append(ReportPage.Fact("Upright frame", "\(width) × \(height)"))
        }
        let rate = record.pipeline.sample.rate
        facts += [
            ReportPage.Fact("Sampling", rate == "every-frame" ? "every frame" : "\(rate) per second"),
            ReportPage.Fact(
                "Detector", "accuracy \(record.pipeline.detect.accuracy), faces \(record.pipeline.detect.faces)"),
            ReportPage.Fact("Faces in all samples", "\(record.counts.faces)"),
            ReportPage.Fact("Container's start", String(format: "%.3f s", video.containerStartSeconds)),
            ReportPage.Fact("Took", String(format: "%.1f s", record.timings.wallSeconds)),
            ReportPage.Fact("Made by", "vidscan \(record.vidscanVersion)"),
        ]
        return facts
    }
}

/// Formats a result as text and table rows.
struct ReportPageMaker {
    /// The metrics whose means the track table shows.
    private static let tableMetrics = [
        "smile", "left_eye_openness", "right_eye_openness", "yaw", "pitch", "attention", "valence", "joy", "surprise",
        "anger", "sadness",
    ]

    let facts: ReportFacts
    let faces: [ReportedFace]
    let shown: [ReportedFace]
    let events: [ReportedEvent]
    let eventCount: Int
    let samples: SampleTimes
    let pictures: [Int: String]

    func page(_ curves: ReportCurves) -> ReportPage {
        var page = ReportPage(title: facts.title, summary: facts.summary(samples: samples), curves: curves)
        page.warnings = facts.warnings
        page.notices = facts.notices
        let colors = Dictionary(
            uniqueKeysWithValues: faces.enumerated().map { ($1.id, $0 % CurveBuilder.colors) })
        page.faces = shown.map { face in
            ReportPage.Face(
                id: face.id, color: colors[face.id] ?? 0, thumbnail: pictures[face.id],
                detail: [face.person.map { "person \($0)" }, mood(face)].compactMap { $0 }.joined(separator: " · "),
                visible: "\(seconds(face.visibleSeconds)) s, from \(clock(face.firstSeconds))")
        }
        if faces.count > shown.count {
            page.facesLeftOut =
                "The \(shown.count) of \(faces.count) faces that are visible longest; the table lists the others."
        }
        let metrics = Self.tableMetrics.filter { name in faces.contains { $0.means[name] != nil } }
        page.trackHeads =
            ["face", "person", "first", "last", "visible (s)", "samples", "appearances"].map { .init($0) }
            + metrics.map { .init($0.replacing("_", with: " ")) }
        page.tracks = faces.map { face in
            ReportPage.Row(
                [
                    "\(face.id)", face.person ?? "", clock(face.firstSeconds), clock(face.lastSeconds),
                    seconds(face.visibleSeconds), "\(face.samples)", "\(face.appearances)",
                ].map { .init($0) }
                    + metrics.map { name in .init(face.means[name].map { String(format: "%.1f", $0) } ?? "") })
        }
        page.events = events.map { event in
            ReportPage.Event(
                time: clock(event.seconds), seconds: String(format: "%.3f", event.seconds), kind: event.kind,
                face: event.faceID.map(String.init) ?? "", value: event.value)
        }
        page.eventKinds = Array(Set(events.map(\.kind))).sorted()
        page.eventsNote =
            eventCount > events.count
            ? "The first \(events.count) of \(eventCount); events.csv has all of them."
            : "Click an event to jump to it."
        page.facts = facts.facts
        return page
    }

    /// Returns the emotion that is likely on average; `nil` if none is.
    private func mood(_ face: ReportedFace) -> String? {
        Metric.likeliest(of: Metric.namedEmotions) { face.means[$0.rawValue] }.map {
            "\($0.metric.rawValue) \(Int($0.score.rounded()))"
        }
    }

    private func seconds(_ value: Double) -> String { String(format: "%.1f", value) }

    private func clock(_ seconds: Double) -> String {
        let microseconds = Int64((seconds * 1e6).rounded())
        return TimeText.clock(microseconds) + String(format: ".%02d", (microseconds / 10000) % 100)
    }
}
