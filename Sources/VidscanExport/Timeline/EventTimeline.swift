internal import VidscanBase
internal import VidscanFaces
internal import VidscanResults

/// The annotations of a result, which pair the events of `events.csv` and give each an end.
struct EventTimeline: Sendable, Equatable {
    /// In order of time, none before 0.
    private(set) var annotations: [Annotation] = []
    /// The end of the video, or of its analysed part, in microseconds; no annotation ends later.
    private(set) var end: Int64

    /// `events` are in order of time. `duration` is that of the video in microseconds, if it is known and all of the video
    /// was analysed; `people` are by face.
    init(events: [StoredEvent], samples: SampleTimes, duration: Int64?, people: [Int: Int]) {
        // A sample stands for the time until the next one.
        let interval = max(samples.wholeInterval, Self.shortest)
        let (firstSample, lastSample) = (samples.microseconds.first ?? 0, samples.microseconds.last ?? 0)
        let lastEvent = events.map { $0.microseconds + ($0.duration ?? 0) }.max() ?? 0
        end = max(duration ?? lastSample + interval, lastSample, lastEvent, Self.shortest)
        // The events that began, by face.
        var (faces, smiles): ([Int?: StoredEvent], [Int?: StoredEvent]) = ([:], [:])
        func add(
            _ kind: Annotation.Kind, _ face: Int?, from begin: Int64, to stop: Int64, _ value: String?,
            _ measured: String?
        ) {
            let begin = max(begin, 0)
            // A face seen in only one sample lasts until the next sample.
            let stop = min(stop > begin ? stop : begin + interval, end)
            guard stop > begin else { return }
            annotations.append(
                Annotation(
                    kind: kind, begin: begin, end: stop, faceID: face, personID: face.flatMap { people[$0] },
                    value: value, measured: measured))
        }
        for event in events {
            let (face, now) = (event.faceID, event.microseconds)
            switch event.kind {
            case .shotCut: break
            case .faceStarted: faces[face] = event
            case .faceStopped:
                if let smile = smiles.removeValue(forKey: face) {
                    add(.smile, face, from: smile.microseconds, to: now, smile.value, nil)
                }
                if let start = faces.removeValue(forKey: face) {
                    add(.face, face, from: start.microseconds, to: now, event.value, event.measured)
                }
            case .smileStarted: smiles[face] = event
            case .smileStopped:
                let start = smiles.removeValue(forKey: face)
                add(
                    .smile, face, from: start?.microseconds ?? now - (event.duration ?? 0), to: now, start?.value,
                    event.measured ?? start?.measured)
            case .blink, .eyesClosed, .lookAway:
                guard let kind = Annotation.Kind(rawValue: event.kind.rawValue) else { continue }
                add(kind, face, from: now, to: now + (event.duration ?? 0), nil, event.measured)
            }
        }
        for (kind, open) in [(Annotation.Kind.face, faces), (.smile, smiles)] {
            for (face, event) in open {
                add(kind, face, from: event.microseconds, to: lastSample, event.value, event.measured)
            }
        }
        addShots(events.filter { $0.kind == .shotCut }, from: max(firstSample, 0))
        annotations.sort(by: Annotation.precedes)
    }

    /// One millisecond, the unit of ELAN and WebVTT.
    private static let shortest: Int64 = 1000

    /// They cover the time from the first sample to the end.
    private mutating func addShots(_ cuts: [StoredEvent], from first: Int64) {
        let starts = [(time: first, value: nil)] + cuts.map { (time: $0.microseconds, value: $0.value) }
        var begin = first
        for (index, start) in starts.enumerated() {
            let stop = index + 1 < starts.count ? starts[index + 1].time : end
            guard stop > begin else { continue }
            annotations.append(
                Annotation(kind: .shot, begin: begin, end: stop, value: start.value, shot: index + 1))
            begin = stop
        }
    }

    /// By face.
    static func people(_ folder: String) throws(VidscanError) -> [Int: Int] {
        let table = try TableReader(folder: folder, name: "tracks.csv")
        let (face, person) = (try table.column("face_id"), try table.column("person_id"))
        var people: [Int: Int] = [:]
        while try table.next() {
            guard people.count < ReadLimits.tracks else {
                throw table.problem("is one of more than \(ReadLimits.tracks) faces, too many to annotate")
            }
            let id = try table.integer(face, in: ReadLimits.ids)
            people[id] = try table.optionalInteger(person, in: ReadLimits.ids)
        }
        return people
    }
}

extension StoredEvent {
    /// In microseconds, for events that last and whose value is their duration.
    fileprivate var duration: Int64? {
        switch kind {
        case .blink, .eyesClosed, .lookAway, .smileStopped:
            value.flatMap(Double.init).flatMap { ReadLimits.durations.contains($0) ? Int64(($0 * 1e6).rounded()) : nil }
        case .shotCut, .faceStarted, .faceStopped, .smileStarted: nil
        }
    }
}

extension SampleTimes {
    /// On average, in whole microseconds.
    var wholeInterval: Int64 {
        guard count > 1, let first = microseconds.first, let last = microseconds.last else { return 0 }
        return (last - first) / Int64(count - 1)
    }
}
