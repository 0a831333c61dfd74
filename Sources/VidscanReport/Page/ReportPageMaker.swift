internal import Foundation
internal import VidscanBase
internal import VidscanFaces
internal import VidscanResults

/// The contents of `run.json`, formatted for a page.
struct ReportFacts {
    private let record: RunRecord
    private let namesFileOnly: Bool
    let title: String
    var notices: [String]

    /// - Parameters:
    ///   - namesFileOnly: Whether the page gives only the name of the video, without its folder.
    ///   - isShared: Whether the page can be passed on, and does not even give the name.
    init(_ record: RunRecord, namesFileOnly: Bool, isShared: Bool) {
        self.record = record
        self.namesFileOnly = namesFileOnly
        title = isShared ? "Video with hidden faces" : FilePath.name(of: record.input.path)
        // They are about the result, which stays.
        notices = isShared ? [] : record.notices
    }

    var warnings: [String] { record.warnings }

    func summary(samples: SampleTimes) -> String {
        let counts = record.counts
        let cuts = counts.hardCuts + counts.gradualCuts
        return [
            TimeText.clock(Int64((record.video.durationSeconds ?? samples.range.upperBound) * 1e6)),
            NumberText.count(samples.count, "sample"),
            NumberText.count(counts.faceIds, "face"),
            "\(counts.personIds) \(counts.personIds == 1 ? "person" : "people")",
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
        let (rate, detect) = (record.pipeline.sample.rate, record.pipeline.detect)
        facts += [
            ReportPage.Fact("Sampling", rate == .everyFrame ? "every frame" : "\(rate) per second"),
            ReportPage.Fact("Detector", "accuracy \(detect.accuracy.rawValue), faces \(detect.faces.rawValue)"),
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

    /// - Parameter curves: The curves of a page without the video.
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
        let hasBlinks = faces.contains { $0.blinkRate != nil }
        page.trackHeads =
            (["face", "person", "first", "last", "visible (s)", "samples", "appearances"]
            + (hasBlinks ? ["blinks per minute"] : [])).map { .init($0) }
            + metrics.map { .init($0.replacing("_", with: " ")) }
        page.tracks = faces.map { face in
            ReportPage.Row(
                ([
                    "\(face.id)", face.person ?? "", clock(face.firstSeconds), clock(face.lastSeconds),
                    seconds(face.visibleSeconds), "\(face.samples)", "\(face.appearances)",
                ] + (hasBlinks ? [face.blinkRate.map(seconds) ?? ""] : [])).map { .init($0) }
                    + metrics.map { .init(mean($0, of: face)) })
        }
        page.events = events.map { event in
            ReportPage.Event(
                time: clock(event.seconds), seconds: String(format: "%.3f", event.seconds), kind: event.kind,
                face: event.faceID.map(String.init) ?? "", value: event.value,
                measured: event.measuredShare.map(percent) ?? "")
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

    /// Returns `63.6`, or `63.6 (28 %)` if the mean rests on that share of the face's samples.
    private func mean(_ metric: String, of face: ReportedFace) -> String {
        guard let mean = face.means[metric] else { return "" }
        let text = String(format: "%.1f", mean)
        guard let count = face.measuredSamples[metric], count < face.samples else { return text }
        return "\(text) (\(percent(Double(count) / Double(face.samples))))"
    }

    private func percent(_ share: Double) -> String { "\(Int((100 * share).rounded())) %" }

    private func seconds(_ value: Double) -> String { String(format: "%.1f", value) }

    private func clock(_ seconds: Double) -> String {
        let microseconds = Int64((seconds * 1e6).rounded())
        return TimeText.clock(microseconds) + String(format: ".%02d", (microseconds / 10000) % 100)
    }
}
