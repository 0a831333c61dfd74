internal import VidscanBase
internal import VidscanFaces
internal import VidscanResults

/// Reads the intermediate file a second time, when the end of every track is known, and writes the tables. Frames pass
/// through a window of a few samples, in which boxes and points are smoothed.
struct OutputPass {
    /// A frame in the window.
    struct Entry {
        let number: Int
        let frame: FrameRecord
        /// The track of each face; 0 for none.
        let tracks: [Int]
        /// The number of shot changes up to this frame.
        let shot: Int
    }

    let settings: Settings
    let changes: [ShotChange]
    let following: TrackingResult
    let consumer: (any RunConsumer)?

    func run(
        _ intermediate: IntermediateFrameFile, writer: ResultWriter, report: inout WriteStage.Report
    ) async throws {
        let frames = try IntermediateFrameReader(intermediate)
        let tracks = try TrackIndexReader(following.indices, trackCount: following.summaries.count)
        let smoother = TrackSmoother(options: settings.smoothing)
        var aggregator = TrackAggregator(settings: settings, changes: changes, tracking: following)
        var window: [Entry] = []
        var current = 0
        var number = 0
        var shot = 0
        report.counts.faces = 0
        func write(_ position: Int) async throws {
            let rows = smoother.rows(
                window, at: position, following, metrics: settings.measure.metrics)
            let shot = window[position].shot + 1
            try writer.write(window[position].frame, shot: shot, rows: rows)
            aggregator.add(rows, tracks: window[position].tracks, of: window[position])
            report.counts.faces += rows.count
            try await consumer?.tracked(window[position].frame, shot: shot, rows: rows)
        }
        while let frame = try frames.next() {
            try Task.checkCancellation()
            if shot < changes.count, changes[shot].sample == number { shot += 1 }
            window.append(
                Entry(number: number, frame: frame, tracks: try tracks.next(frame.faces.count), shot: shot))
            number += 1
            while current < window.count, smoother.isBeyondWindow(window[current].frame, frame) {
                try await write(current)
                current += 1
            }
            while current > 0, smoother.isBeyondWindow(window[0].frame, window[min(current, window.count - 1)].frame) {
                window.removeFirst()
                current -= 1
            }
        }
        while current < window.count {
            try await write(current)
            current += 1
        }
        let (rows, events) = aggregator.finish()
        try writer.write(rows)
        try writer.write(events)
        try await consumer?.completed(rows, events)
        report.counts.events = events.count
        report.counts.faceIds = rows.count
        report.counts.personIds = Set(rows.compactMap(\.personID)).count
        report.counts.tracksDropped = following.identities.count { $0 == nil }
        report.peopleLeftOut = following.peopleLeftOut
        report.lacksBlinks = !aggregator.detectsBlinks && aggregator.hasMeasuredEyes
    }
}

/// Smooths boxes and points over the neighbouring samples of the same track and shot, but not across a gap.
struct TrackSmoother {
    let options: LocalRegression?

    /// Whether `later` is too late to affect the smoothed values of `frame`.
    func isBeyondWindow(_ frame: FrameRecord, _ later: FrameRecord) -> Bool {
        guard let options else { return true }
        return later.seconds - frame.seconds > options.reach + 1e-6
    }

    func rows(
        _ window: [OutputPass.Entry], at position: Int, _ following: TrackingResult, metrics: Set<Metric>
    ) -> [FaceRow] {
        let entry = window[position]
        var rows: [FaceRow] = []
        for (face, track) in zip(entry.frame.faces, entry.tracks) {
            guard track > 0, let identity = following.identities[track - 1] else { continue }
            var smoothed = face
            if let options { smooth(&smoothed, track: track, window, at: position, with: options) }
            following.baseline.apply(to: &smoothed, faceID: identity.faceID, metrics: metrics)
            rows.append(
                FaceRow(
                    microseconds: entry.frame.microseconds, frame: entry.frame.index, faceID: identity.faceID,
                    personID: identity.personID,
                    personMatch: face.chipOffset.flatMap { following.matches[$0] },
                    face: smoothed, raw: face.numbers, metrics: metrics))
        }
        return rows.sorted { $0.faceID < $1.faceID }
    }

    private func smooth(
        _ face: inout FaceRecord, track: Int, _ window: [OutputPass.Entry], at position: Int,
        with regression: LocalRegression
    ) {
        let hasMesh = face.numbers[.chin] != nil
        let now = window[position]
        var near: [(offset: Double, numbers: FaceNumbers)] = [(0, face.numbers)]
        for direction in [-1, 1] {
            var neighbour = position + direction
            while window.indices.contains(neighbour) {
                let entry = window[neighbour]
                let offset = entry.frame.seconds - now.frame.seconds
                guard entry.shot == now.shot, entry.frame.size == now.frame.size,
                    abs(offset) <= regression.reach + 1e-6,
                    let index = entry.tracks.firstIndex(of: track),
                    (entry.frame.faces[index].numbers[.chin] != nil) == hasMesh
                else { break }
                near.append((offset, entry.frame.faces[index].numbers))
                neighbour += direction
            }
        }
        guard near.count > 1 else { return }
        let factors = regression.factors(offsets: near.map(\.offset))
        face.numbers.smoothen(zip(factors, near).map { (weight: $0, numbers: $1.numbers) })
        var box = face.box
        box.width = max(box.width, 1)
        box.height = max(box.height, 1)
        face.numbers.box = box.clamped(to: now.frame.size)
    }
}
