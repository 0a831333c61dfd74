internal import VidscanBase
internal import VidscanFaces
internal import VidscanResults

/// Cuts events where tracks are split and where samples are left out.
struct EventCutter {
    typealias Row = CorrectedEvents.Row

    /// `value` of face_stopped where a correction ends an appearance.
    static let corrected = "corrected"
    /// Durations are written with fewer decimals than times; in microseconds.
    private static let tolerance: Int64 = 1000

    let header: [String]
    let columns: CorrectedEvents.Columns
    let tracks: CorrectedTracks

    /// Returns the cuts that are left. Those in a range that is left out are at the first sample after it, once.
    func cuts(_ cuts: [Row]) -> [Row] {
        let samples = tracks.samples
        var kept: [Int64: Row] = [:]
        for cut in cuts {
            var frame = samples.firstFrame(from: cut.key.microseconds)
            guard frame < samples.frames.count, tracks.isExcluded[frame] else {
                kept[cut.key.microseconds] = cut
                continue
            }
            let isAfterSample = tracks.isExcluded[..<frame].contains(false)
            while frame < samples.frames.count, tracks.isExcluded[frame] { frame += 1 }
            guard isAfterSample, frame < samples.frames.count else { continue }
            let time = samples.frames[frame].microseconds
            kept[time] = moved(cut, to: time)
        }
        return Array(kept.values)
    }

    // MARK: Faces

    /// Samples of a part without a sample between them that is not the part's, in one appearance.
    private struct Run {
        let part: Int
        /// In microseconds.
        let first: Int64
        var last: Int64
        let appearance: Int?
        var lastFrame: Int
    }

    /// From the first to the last sample, in microseconds.
    private struct Appearance {
        var started: Row
        var stopped: Row?
        var last: Int64 { stopped?.key.microseconds ?? .max }
    }

    /// An event that lasts, in microseconds. A smile has two rows.
    private struct Span {
        var begin: Int64
        var end: Int64
        var rows: [Row]
        var kind: FaceEvent.Kind
    }

    func events(_ rows: [Row], of face: Int) -> [Row] {
        var appearances: [Appearance] = []
        var spans: [Span] = []
        var smile: Row?
        for row in rows {
            switch row.key.kind {
            case .faceStarted: appearances.append(Appearance(started: row))
            case .faceStopped: if !appearances.isEmpty { appearances[appearances.count - 1].stopped = row }
            case .smileStarted: smile = row
            case .smileStopped:
                let begin = smile?.key.microseconds ?? row.key.microseconds - duration(row)
                spans.append(
                    Span(
                        begin: begin, end: row.key.microseconds, rows: [smile, row].compactMap { $0 },
                        kind: .smileStopped))
                smile = nil
            case .blink, .eyesClosed, .lookAway:
                let begin = row.key.microseconds
                spans.append(Span(begin: begin, end: begin + duration(row), rows: [row], kind: row.key.kind))
            case .shotCut: break
            }
        }
        let runs = runs(of: face, appearances)
        return runs.flatMap { limits(of: $0, appearances) }
            + spans.flatMap { span in runs.flatMap { cut(span, to: $0) } }
    }

    private func runs(of face: Int, _ appearances: [Appearance]) -> [Run] {
        let samples = tracks.samples
        var runs: [Run] = []
        var current: Run?
        var appearance = 0
        for row in samples.rowsOfFace[face] ?? [] {
            let frame = Int(samples.rows[Int(row)].frame)
            let time = samples.frames[frame].microseconds
            while appearance < appearances.count, appearances[appearance].last < time { appearance += 1 }
            let isInside = appearance < appearances.count && appearances[appearance].started.key.microseconds <= time
            let place = isInside ? appearance : nil
            let part = tracks.part(ofRow: Int(row))
            if let run = current {
                if part == run.part, place == run.appearance, !tracks.isExcluded[run.lastFrame...frame].contains(true) {
                    current?.last = time
                    current?.lastFrame = frame
                    continue
                }
                runs.append(run)
                current = nil
            }
            if let part { current = Run(part: part, first: time, last: time, appearance: place, lastFrame: frame) }
        }
        return runs + (current.map { [$0] } ?? [])
    }

    /// Returns face_started and face_stopped of a run.
    private func limits(of run: Run, _ appearances: [Appearance]) -> [Row] {
        let face = tracks.parts[run.part].faceID
        let appearance = run.appearance.map { appearances[$0] }
        var started = Row(
            key: FaceEvent(microseconds: run.first, kind: .faceStarted, faceID: face), fields: header.map { _ in "" })
        if let old = appearance?.started, old.key.microseconds == run.first {
            started = old
        } else {
            started.fields[columns.kind] = started.key.kind.rawValue
        }
        var stopped = Row(
            key: FaceEvent(microseconds: run.last, kind: .faceStopped, faceID: face), fields: header.map { _ in "" })
        if let old = appearance?.stopped, old.key.microseconds == run.last {
            stopped = old
        } else {
            stopped.fields[columns.kind] = stopped.key.kind.rawValue
            stopped.fields[columns.value] = Self.corrected
        }
        return [moved(started, to: run.first, face), moved(stopped, to: run.last, face)]
    }

    /// Returns what is left of an event in a run.
    private func cut(_ span: Span, to run: Run) -> [Row] {
        let face = tracks.parts[run.part].faceID
        let beginsInside = span.begin >= run.first && span.begin <= run.last
        let endsInside = span.end >= run.first && span.end <= run.last + Self.tolerance
        if beginsInside, endsInside { return span.rows.map { moved($0, to: $0.key.microseconds, face) } }
        let (begin, end) = (max(span.begin, run.first), endsInside ? span.end : min(span.end, run.last))
        guard span.kind != .blink, end - begin > Self.tolerance, var whole = span.rows.last else { return [] }
        var rows: [Row] = []
        if span.kind == .smileStopped {
            if beginsInside, span.rows.count == 2 {
                rows.append(moved(span.rows[0], to: begin, face))
            } else {
                // No sample crosses the threshold here.
                var started = Row(
                    key: FaceEvent(microseconds: begin, kind: .smileStarted, faceID: face),
                    fields: header.map { _ in "" })
                started.fields[columns.kind] = started.key.kind.rawValue
                rows.append(moved(started, to: begin, face))
            }
        }
        whole.fields[columns.value] = Field.decimal(Double(end - begin) / 1e6, decimals: 3).text
        if let complete = columns.complete { whole.fields[complete] = "0" }
        return rows + [moved(whole, to: span.kind == .smileStopped ? end : begin, face)]
    }

    // MARK: Fields

    /// Returns a row at another time and of another face. The text of what is the same stays.
    private func moved(_ row: Row, to microseconds: Int64, _ face: Int? = nil) -> Row {
        var moved = row
        moved.key.microseconds = microseconds
        if microseconds != row.key.microseconds || row.fields[columns.time].isEmpty {
            moved.fields[columns.time] = Field.microseconds(microseconds).text
        }
        if let face {
            moved.key.faceID = face
            moved.fields[columns.face] = "\(face)"
        }
        return moved
    }

    /// The duration of an event that lasts, in microseconds.
    private func duration(_ row: Row) -> Int64 {
        guard let seconds = Double(row.fields[columns.value]), ReadLimits.durations.contains(seconds) else { return 0 }
        return Int64((seconds * 1e6).rounded())
    }
}
