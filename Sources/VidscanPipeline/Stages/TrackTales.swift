internal import VidscanCore
internal import VidscanFaces

/// What happens to each face, and what its measurements come to: the events and the rows of `tracks.csv`. Holds sketches
/// only of the faces in sight.
struct TrackTales {
    private struct Tale {
        var detector: FaceEventDetector
        var sketches: [MetricSketch]
        var boxSum = [0.0, 0.0, 0.0, 0.0]
        var samples = 0
        var firstMicroseconds: Int64
        var best: (weight: Double, microseconds: Int64, frame: Int64)
    }

    private let options: AnalysisOptions
    private let following: Following
    /// Samples follow each other quickly enough.
    let tellsBlinks: Bool
    private(set) var hasMeasuredEyes = false
    /// By track.
    private var tales: [Int: Tale] = [:]
    private var rows: [TrackRow] = []
    private var events: [FaceEvent] = []
    private let changeSamples: [Int]

    init(options: AnalysisOptions, changes: [ShotChange], following: Following) {
        self.options = options
        self.following = following
        // Announced rates such as 11.999 count as 12.
        tellsBlinks = following.interval > 0 && 1 / following.interval >= options.events.blinkMinimumRate * 0.99
        changeSamples = changes.map(\.sample)
        events = changes.map {
            FaceEvent(
                microseconds: Int64(($0.seconds * 1e6).rounded()), kind: .shotCut, value: .text($0.kind.rawValue))
        }
    }

    mutating func add(_ faces: [FaceRow], tracks: [Int], of entry: TablePass.Entry) {
        for (face, track) in zip(entry.frame.faces, tracks) {
            guard track > 0, let identity = following.identities[track - 1] else { continue }
            guard let row = faces.first(where: { $0.faceID == identity.faceID }) else { continue }
            add(row, raw: face, track: track, entry)
        }
    }

    private mutating func add(_ row: FaceRow, raw: FaceRecord, track: Int, _ entry: TablePass.Entry) {
        if tales[track] == nil {
            events.append(
                FaceEvent(microseconds: row.microseconds, kind: .faceStarted, faceID: row.faceID))
        }
        var tale =
            tales.removeValue(forKey: track)
            ?? Tale(
                detector: FaceEventDetector(
                    faceID: row.faceID, options: options.events, tellsBlinks: tellsBlinks),
                sketches: TrackTable.measures.map { MetricSketch(range: $0.range) },
                firstMicroseconds: row.microseconds, best: (-1, row.microseconds, row.frame))
        let openness = [Metric.leftEyeOpenness, .rightEyeOpenness].compactMap { raw[$0] }
        if !openness.isEmpty { hasMeasuredEyes = true }
        events += tale.detector.update(
            FaceEventDetector.Measurement(
                eyeOpenness: openness.isEmpty ? nil : openness.reduce(0, +) / Double(openness.count),
                smile: raw[.smile], turnDegrees: raw.turnDegrees), at: row.microseconds)
        for (index, measure) in TrackTable.measures.enumerated() {
            if let value = measure.value(row) { tale.sketches[index].add(value) }
        }
        let box = row.face.box
        for (index, value) in [box.x, box.y, box.width, box.height].enumerated() { tale.boxSum[index] += value }
        tale.samples += 1
        let weight = FaceWeight.of(raw, in: entry.frame.size)
        if weight > tale.best.weight { tale.best = (weight, row.microseconds, row.frame) }
        if following.summaries[track - 1].lastSample == entry.number {
            finish(tale, track: track, row: row, entry)
        } else {
            tales[track] = tale
        }
    }

    private mutating func finish(_ tale: Tale, track: Int, row: FaceRow, _ entry: TablePass.Entry) {
        var tale = tale
        events += tale.detector.finish()
        let summary = following.summaries[track - 1]
        let reason =
            if entry.number == following.sampleCount - 1 {
                "end"
            } else if changeSamples.contains(entry.number + 1) {
                "cut"
            } else if summary.hasLeft(interval: following.interval) {
                "left"
            } else {
                "occluded"
            }
        events.append(
            FaceEvent(
                microseconds: row.microseconds, kind: .faceStopped, faceID: row.faceID, value: .text(reason)))
        let count = Double(max(tale.samples, 1))
        rows.append(
            TrackRow(
                faceID: row.faceID, personID: row.personID, firstMicroseconds: tale.firstMicroseconds,
                lastMicroseconds: row.microseconds, visibleSeconds: Double(tale.samples) * following.interval,
                samples: tale.samples,
                meanBox: Rectangle(
                    x: tale.boxSum[0] / count, y: tale.boxSum[1] / count, width: tale.boxSum[2] / count,
                    height: tale.boxSum[3] / count),
                bestMicroseconds: tale.best.microseconds, bestFrame: tale.best.frame,
                statistics: tale.sketches.map {
                    TrackRow.Statistic(
                        mean: $0.mean.map(Float.init), median: $0.median.map(Float.init),
                        maximum: $0.maximum.map(Float.init))
                }))
    }

    /// - Returns: the tracks in the order of their numbers, the events in the order of time.
    mutating func finish() -> ([TrackRow], [FaceEvent]) {
        rows.sort { $0.faceID < $1.faceID }
        events.sort(by: FaceEvent.precedes)
        return (rows, events)
    }
}
