internal import VidscanBase
internal import VidscanFaces
internal import VidscanResults

/// Collects the events and the rows of `tracks.csv`. Holds histograms only for faces that appear again later.
struct TrackAggregator {
    private struct Aggregate {
        var detector: DelayedEventDetector
        var tally: TrackTally
        var blinks = TrackRow.Blinks()
        var appearances = 0
    }

    private let settings: Settings
    private let tracking: TrackingResult
    /// Whether the sampling rate is high enough to detect blinks.
    let detectsBlinks: Bool
    private(set) var hasMeasuredEyes = false
    /// Aggregates by face_id.
    private var aggregates: [Int: Aggregate] = [:]
    private var rows: [TrackRow] = []
    private var events: [FaceEvent] = []
    private let changes: [Int: ShotChange.Kind]
    private var clock: SampleClock

    init(settings: Settings, changes: [ShotChange], tracking: TrackingResult) {
        self.settings = settings
        self.tracking = tracking
        clock = SampleClock(interval: tracking.interval)
        // A rate just below the minimum, such as 11.999 for 12, is high enough.
        detectsBlinks = tracking.interval > 0 && 1 / tracking.interval >= settings.track.events.blinkMinimumRate * 0.99
        self.changes = Dictionary(changes.map { ($0.sample, $0.kind) }) { first, _ in first }
        events = changes.map {
            FaceEvent(
                microseconds: Int64(($0.seconds * 1e6).rounded()), kind: .shotCut, value: .text($0.kind.rawValue))
        }
    }

    /// Adds the rows of the next sample.
    mutating func add(_ faces: [FaceRow], tracks: [Int], of entry: OutputPass.Entry) {
        let seconds = clock.seconds(at: entry.frame.microseconds)
        for (face, track) in zip(entry.frame.faces, tracks) {
            guard track > 0, let identity = tracking.identities[track - 1] else { continue }
            guard let row = faces.first(where: { $0.faceID == identity.faceID }) else { continue }
            add(row, raw: face, track: track, entry, seconds: seconds)
        }
    }

    private mutating func add(
        _ row: FaceRow, raw: FaceRecord, track: Int, _ entry: OutputPass.Entry, seconds: Double
    ) {
        let summary = tracking.summaries[track - 1]
        var aggregate =
            aggregates.removeValue(forKey: row.faceID)
            ?? Aggregate(
                detector: detector(row.faceID), tally: TrackTally(microseconds: row.microseconds, frame: row.frame))
        if summary.firstSample == entry.number {
            aggregate.detector = detector(row.faceID)
            aggregate.appearances += 1
            events.append(FaceEvent(microseconds: row.microseconds, kind: .faceStarted, faceID: row.faceID))
        }
        record(row, raw: raw, into: &aggregate, entry, seconds: seconds)
        if summary.lastSample == entry.number {
            add(aggregate.detector.finish(), to: &aggregate)
            events.append(
                FaceEvent(
                    microseconds: row.microseconds, kind: .faceStopped, faceID: row.faceID,
                    value: .text(reason(summary, entry))))
        }
        if tracking.lastSamples[row.faceID] == entry.number {
            rows.append(self.row(of: aggregate, last: row))
        } else {
            aggregates[row.faceID] = aggregate
        }
    }

    private mutating func add(_ found: [FaceEvent], to aggregate: inout Aggregate) {
        aggregate.blinks.count += found.count { $0.kind == .blink }
        events += found
    }

    private func detector(_ faceID: Int) -> DelayedEventDetector {
        DelayedEventDetector(faceID: faceID, options: settings.track.events, detectsBlinks: detectsBlinks)
    }

    private mutating func record(
        _ row: FaceRow, raw: FaceRecord, into aggregate: inout Aggregate, _ entry: OutputPass.Entry, seconds: Double
    ) {
        let eyes = tracking.baseline.eyes(of: raw, faceID: row.faceID)
        if eyes != nil {
            hasMeasuredEyes = true
            aggregate.blinks.seconds += seconds
        }
        let found = aggregate.detector.update(
            FaceEventDetector.Measurement(
                eyeOpenness: nil, hasOneEye: eyes?.hasOneEye ?? false,
                smile: tracking.baseline.smile(of: raw, faceID: row.faceID), turnDegrees: raw.numbers.turnDegrees),
            eyes: eyes, at: row.microseconds, sample: entry.number)
        add(found, to: &aggregate)
        aggregate.tally.add(
            microseconds: row.microseconds, frame: row.frame, seconds: seconds,
            weight: FaceProminence.of(raw.numbers, in: entry.frame.size), box: row.face.box
        ) { row[$0] }
    }

    /// Returns the reason why a track ends here.
    private func reason(_ summary: TrackSummary, _ entry: OutputPass.Entry) -> String {
        if entry.number == tracking.sampleCount - 1 { return "end" }
        if let change = changes[entry.number + 1] { return change == .discontinuity ? change.rawValue : "cut" }
        return summary.hasLeft(interval: tracking.interval) ? "left" : "occluded"
    }

    private func row(of aggregate: Aggregate, last: FaceRow) -> TrackRow {
        aggregate.tally.row(
            faceID: last.faceID, personID: last.personID, personConfidence: tracking.personConfidences[last.faceID],
            appearances: aggregate.appearances, blinks: detectsBlinks ? aggregate.blinks : nil
        ) { restingLevel($0, last.faceID) }
    }

    private func restingLevel(_ measure: FaceField, _ faceID: Int) -> Double? {
        guard case .metric(let metric) = measure, settings.measure.metrics.contains(metric) else { return nil }
        return tracking.baseline.levels[faceID]?[metric]
    }

    /// - Returns: The rows in the order of their face_ids, and the events in time order.
    mutating func finish() -> ([TrackRow], [FaceEvent]) {
        rows.sort { $0.faceID < $1.faceID }
        events.sort(by: FaceEvent.precedes)
        return (rows, events)
    }
}
