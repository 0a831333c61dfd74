internal import Foundation
internal import VidscanBase
internal import VidscanFaces
internal import VidscanResults

struct ReportPage {
    static let maximumEvents = 20_000
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
    let events: [StoredEvent]
    let episodes: [Episode]
    let samples: SampleTimes
    let pictures: [Int: String]
    let video: PageVideo?
    /// Of `vidscan report`, to make a page like this one.
    let options: [String]

    private var record: RunRecord { result.record }
    var length: String {
        TimeText.clock(Int64((record.video.durationSeconds ?? samples.range.upperBound).rounded() * 1e6))
    }

    func html(for path: String, notices: [String]) throws(VidscanError) -> String {
        let (data, rows) = try data(for: path)
        let counts = record.counts
        let summary = [
            length, NumberText.count(samples.count, "sample"), NumberText.count(counts.faceIds, "face"),
            NumberText.people(counts.personIds), NumberText.count(counts.hardCuts + counts.gradualCuts, "cut"),
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
            "tracks": tracks.map { $0.map { PageCell($0) } }, "facts": facts, "data": data,
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

    /// Returns what the page's script reads: JSON, and the packed rows.
    private func data(for path: String) throws(VidscanError) -> (json: String, rows: [UInt8]) {
        let size = (
            width: record.filters?.sourceWidth ?? record.video.displayWidth ?? 1,
            height: record.filters?.sourceHeight ?? record.video.displayHeight ?? 1
        )
        guard ReadLimits.sides.contains(size.width), ReadLimits.sides.contains(size.height) else {
            throw .result("run.json gives a frame of impossible size", input: result.name)
        }
        let rows = try PageRows(
            result.name, faces: Set(faces.map(\.id)), leftOut: leftOut, samples: samples,
            expected: leftOut.isEmpty ? record.counts.faces : faces.reduce(0) { $0 + $1.samples }, size: size,
            map: result.hasMapToSource ? try result.mapToSource() : nil)
        let interval = samples.interval
        let cuts = events.filter { $0.kind == .shotCut }.prefix(Self.maximumEvents)
        let corrections = record.corrections
        let names = hidesFaces ? [:] : corrections?.people ?? [:]
        var data: [String: JSONValue] = [
            "video": .object([
                // Corrections recognise the video by its name and its size in bytes.
                "name": .text(title), "bytes": .integer(Int(record.input.bytes)),
                // Pixels of the upright frame, for all positions.
                "width": .integer(size.width), "height": .integer(size.height),
                // Whether a copy of it may play where it does not.
                "isSource": .flag(video?.isSource == true),
            ]),
            // The timeline, and the average time between samples, in seconds.
            "start": .number(min(0, samples.range.lowerBound)),
            "end": .number(max(record.video.durationSeconds ?? 0, samples.range.upperBound + interval, 0.04)),
            "interval": .number(interval), "stride": .integer(rows.stride),
            "samples": .integer(samples.count), "rows": .integer(rows.count), "columns": .list(rows.columns),
            "metrics": .list(rows.metrics.map(metric)), "tracks": .list(tracks(rows)),
            // `data:` URLs by face_id, and pseudonyms by person_id.
            "pictures": Self.texts(pictures), "names": Self.texts(names),
            "quality": try quality(),
            "cuts": .list(
                cuts.map { .object(["time": seconds($0.microseconds), "isGradual": .flag($0.value == "gradual")]) }),
            "corrections": .list((corrections?.list ?? []).filter { !hidesFaces || !Self.mayName($0) }),
            "next": .list((corrections?.next ?? []).map(JSONValue.integer)),
            "excluded": .list((corrections?.excluded ?? []).map { .list([.number($0.from), .number($0.to)]) }),
        ]
        data["withheld"] = .flag(hidesFaces && (corrections?.list ?? []).contains(where: Self.mayName))
        // In seconds, if the file says.
        data["duration"] = record.video.durationSeconds.map(JSONValue.number)
        if !hidesFaces {
            // For the commands that put corrections into the tables and make the page again.
            let folder = FilePath.relative(result.name, to: FilePath.folder(of: path))
            data["result"] = .text(folder.isEmpty ? "." : folder)
            let isUsual = folder.isEmpty && FilePath.name(of: path) == "report.html"
            let again = options + (isUsual ? [] : ["--output", FilePath.absolute(path)])
            data["again"] = .list(again.map(JSONValue.text))
        }
        let compressed: JSONValue = .object(["events": packedEvents, "episodes": packedEpisodes])
        return (PageTemplate.data(.object(data)), try rows.compressed(with: PageTemplate.data(compressed)))
    }

    /// What `quality.csv` says of each person, in the words of a run; empty for results of earlier versions.
    private func quality() throws(VidscanError) -> JSONValue {
        let names = record.pipeline.measure?.metrics ?? ["all"]
        let summary = QualitySummary(
            try QualityRow.read(result.name), metrics: Set(Metric.allCases.filter { $0.isChosen(by: names) }))
        return .list(
            summary.cards.map { row, text, isWeak in
                .object([
                    "person": .integer(row.personID), "seconds": .number(row.visibleSeconds), "text": .text(text),
                    "isWeak": .flag(isWeak),
                ])
            })
    }

    private static func texts(_ texts: [Int: String]) -> JSONValue {
        .object(Dictionary(uniqueKeysWithValues: texts.map { ("\($0)", .text($1)) }))
    }

    /// Whether a correction contains the user's own text.
    private static func mayName(_ correction: JSONValue) -> Bool {
        guard case .object(let members) = correction else { return true }
        return members["do"] == .text("note") || members["do"] == .text("name")
    }

    private func metric(_ field: FaceField) -> JSONValue {
        let (group, status, yaw): (String, Metric.Status, Double) =
            switch field {
            case .metric(let metric): (metric.group.rawValue, metric.status, metric.maximumYaw)
            case .brightness: ("picture", .validated, 90)
            default: ("head", .validated, 90)
            }
        return .object([
            "name": .text(field.name), "unit": .text(field.unit), "meaning": .text(field.meaning),
            "low": .number(field.range.lowerBound), "high": .number(field.range.upperBound),
            // How far it can be relied on, and the angles beyond which it is blank.
            "group": .text(group), "status": .text(status.rawValue), "yaw": .number(yaw),
            "pitch": .number(ExpressionLimits.maximumPitch),
        ])
    }

    private func tracks(_ rows: PageRows) -> [JSONValue] {
        faces.compactMap { face in
            guard let range = rows.ranges[face.id] else { return nil }
            var rest: [String: JSONValue] = [:]
            for (index, metric) in rows.metrics.enumerated() {
                rest["\(index)"] = (face.measures[metric.name]?.rest).map(JSONValue.number)
            }
            let mood = Metric.likeliest(of: Metric.namedEmotions) { face.measures[$0.rawValue]?.mean }
            var track: [String: JSONValue] = [
                "id": .integer(face.id), "row": .integer(range.lowerBound), "rows": .integer(range.count),
                "best": seconds(face.bestMicroseconds), "rest": .object(rest),
                "certainty": .number(((rows.certainty[face.id] ?? 0) * 1000).rounded() / 1000),
            ]
            track["person"] = face.personID.map(JSONValue.integer)
            track["personConfidence"] = face.personConfidence.map(JSONValue.number)
            // The likely emotion on average, with its mean: `joy 62`.
            track["mood"] = mood.map { .text("\($0.metric.rawValue) \(Int($0.score.rounded()))") }
            return .object(track)
        }
    }

    /// The first events, and how many there are.
    private var packedEvents: JSONValue {
        let (kinds, shown) = (Set(events.map(\.kind.rawValue)).sorted(), events.prefix(Self.maximumEvents))
        return .object([
            "count": .integer(events.count), "kinds": .list(kinds.map(JSONValue.text)),
            "time": .list(shown.map { seconds($0.microseconds) }),
            "kind": .list(shown.map { .integer(kinds.firstIndex(of: $0.kind.rawValue) ?? 0) }),
            "face": .list(shown.map { $0.faceID.map(JSONValue.integer) ?? .null }),
            "value": .list(shown.map { .text($0.value ?? "") }),
            // The measured fraction, in per cent.
            "measured": .list(
                shown.map { $0.measured.flatMap(Double.init).map { .integer(Int((100 * $0).rounded())) } ?? .null }),
        ])
    }

    private var packedEpisodes: JSONValue {
        let kinds = Episode.Kind.allCases.filter { kind in episodes.contains { $0.kind == kind } }
        return .object([
            "kinds": .list(kinds.map { .text($0.rawValue) }),
            // Each one: index in `kinds`, start and end in seconds, whether either was not seen, face_id, other people.
            "list": .list(
                episodes.map { episode in
                    .list([
                        .integer(kinds.firstIndex(of: episode.kind) ?? 0), seconds(episode.startMicroseconds),
                        seconds(episode.endMicroseconds), .flag(!episode.isStartSeen), .flag(!episode.isEndSeen),
                        episode.faceID.map(JSONValue.integer) ?? .null,
                        .list(episode.otherPersonIDs.map(JSONValue.integer)),
                    ])
                }),
        ])
    }

    private func seconds(_ microseconds: Int64) -> JSONValue { .number(Double(microseconds) / 1e6) }
}
