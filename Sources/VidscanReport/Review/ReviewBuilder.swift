internal import Foundation
internal import VidscanBase
internal import VidscanFaces
internal import VidscanResults

/// Collects what a page with the video shows.
struct ReviewBuilder {
    /// The maximum number of events on a page.
    private static let maximumEvents = 20_000

    let result: StoredResult
    let faces: [ReportedFace]
    /// The faces of the result that the page does not have.
    let leftOut: Set<Int>
    let events: [ReportedEvent]
    let samples: SampleTimes
    let pictures: [Int: String]

    /// - Parameters:
    ///   - video: The video that the page plays.
    ///   - address: Its address relative to the page.
    ///   - hidesFaces: Whether the page shows no face. Notes and names may tell who somebody is, so it has none.
    ///   - title: What the page calls the video; `nil` for its name.
    /// - Returns: The data, and the packed rows of the faces.
    func build(
        _ video: PageVideo, address: String, hidesFaces: Bool, title: String?
    ) throws(VidscanError) -> (data: ReviewData, rows: [UInt8]) {
        let record = result.record
        let filters = record.filters
        let size = (
            width: filters?.sourceWidth ?? record.video.displayWidth ?? 1,
            height: filters?.sourceHeight ?? record.video.displayHeight ?? 1
        )
        guard ReadLimits.sides.contains(size.width), ReadLimits.sides.contains(size.height) else {
            throw VidscanError(.result, "run.json gives a frame of impossible size", input: result.name, stage: .open)
        }
        let rows = try ReviewRows(
            result.name, faces: faces.map(\.id), leftOut: leftOut, times: samples.microseconds,
            expected: leftOut.isEmpty ? record.counts.faces : faces.reduce(0) { $0 + $1.samples }, size: size,
            map: try result.mapToSource())
        let last = samples.range.upperBound + samples.interval
        let data = ReviewData(
            video: .init(
                address: address, isPicture: video.isPicture, name: title ?? FilePath.name(of: record.input.path),
                bytes: record.input.bytes, width: size.width, height: size.height, advice: video.advice),
            start: min(0, samples.range.lowerBound), end: max(record.video.durationSeconds ?? 0, last, 0.04),
            interval: samples.interval, stride: rows.stride, samples: samples.count, rows: rows.count,
            columns: rows.columns, metrics: ReviewRows.metrics.map(metric), tracks: tracks(rows),
            pictures: Dictionary(uniqueKeysWithValues: pictures.map { ("\($0)", $1) }), events: packedEvents(),
            cuts: events.filter { $0.kind == FaceEvent.Kind.shotCut.rawValue }.prefix(Self.maximumEvents).map {
                .init(time: $0.seconds, isGradual: $0.value == "gradual")
            }, corrections: (record.corrections?.list ?? []).filter { !hidesFaces || !Self.mayName($0) },
            names: hidesFaces
                ? [:]
                : Dictionary(uniqueKeysWithValues: (record.corrections?.people ?? [:]).map { ("\($0)", $1) }),
            excluded: (record.corrections?.excluded ?? []).map { [$0.from, $0.to] })
        return (data, try Deflate.compress(rows.bytes))
    }

    /// Whether a correction has text that the user wrote.
    private static func mayName(_ correction: JSONValue) -> Bool {
        guard case .object(let members) = correction else { return true }
        return members["do"] == .text("note") || members["do"] == .text("name")
    }

    private func metric(_ field: FaceField) -> ReviewData.Metric {
        var isExperimental = false
        if case .metric(let metric) = field { isExperimental = metric.status == .experimental }
        return ReviewData.Metric(
            name: field.name, unit: field.unit, meaning: field.meaning, low: field.range.lowerBound,
            high: field.range.upperBound, isExperimental: isExperimental)
    }

    private func tracks(_ rows: ReviewRows) -> [ReviewData.Track] {
        let positions = ReviewRows.metrics.enumerated().map { (name: $1.name, position: "\($0)") }
        return faces.compactMap { face in
            guard let range = rows.ranges[face.id] else { return nil }
            var rest: [String: Double] = [:]
            for (name, position) in positions { rest[position] = face.restingLevels[name] }
            return ReviewData.Track(
                id: face.id, person: face.personID, personConfidence: face.personConfidence,
                certainty: ((rows.certainty[face.id] ?? 0) * 1000).rounded() / 1000, row: range.lowerBound,
                rows: range.count, best: Double(face.bestMicroseconds) / 1e6, rest: rest)
        }
    }

    private func packedEvents() -> ReviewData.Events {
        var packed = ReviewData.Events()
        packed.kinds = Array(Set(events.map(\.kind))).sorted()
        let positions = Dictionary(uniqueKeysWithValues: packed.kinds.enumerated().map { ($1, $0) })
        packed.count = events.count
        for event in events.prefix(Self.maximumEvents) {
            packed.time.append(event.seconds)
            packed.kind.append(positions[event.kind] ?? 0)
            packed.face.append(event.faceID)
            packed.value.append(event.value)
            packed.measured.append(event.measuredShare.map { Int((100 * $0).rounded()) })
        }
        return packed
    }
}
