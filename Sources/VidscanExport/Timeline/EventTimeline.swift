internal import VidscanBase
internal import VidscanFaces
internal import VidscanResults

/// The annotations of a result, which pair the events of `events.csv` and give each an end.
struct EventTimeline: Sendable, Equatable {
    /// In order of time, none before 0.
    private(set) var annotations: [Annotation] = []
    /// The end of the video, or of its analysed part, in microseconds; no annotation ends later.
    private(set) var end: Int64

    /// - Parameters:
    ///   - events: in order of time.
    ///   - samples: the times of the first and the last sample, and the time from one to the next, in microseconds.
    ///   - duration: of the video in microseconds, if it is known and all of the video was analysed.
    ///   - people: the person of each face.
    init(events: [ResultEvent], samples: ResultSamples, duration: Int64?, people: [Int: Int]) {
        // A sample stands for the time until the next one.
        let sampled = samples.last + max(samples.interval, Self.shortest)
        let lastEvent = events.map { $0.microseconds + ($0.duration ?? 0) }.max() ?? 0
        end = max(duration ?? 0, samples.last, lastEvent, duration == nil ? sampled : 0, Self.shortest)
        let interval = max(samples.interval, Self.shortest)
        var open: [Open: ResultEvent] = [:]
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
        var cuts: [ResultEvent] = []
        for event in events {
            let key = Open(faceID: event.faceID, kind: .smile)
            let present = Open(faceID: event.faceID, kind: .face)
            switch event.kind {
            case .shotCut: cuts.append(event)
            case .faceStarted: open[present] = event
            case .faceStopped:
                for kind in [Annotation.Kind.smile, .face] {
                    guard let start = open.removeValue(forKey: Open(faceID: event.faceID, kind: kind)) else { continue }
                    add(
                        kind, event.faceID, from: start.microseconds, to: event.microseconds,
                        kind == .face ? event.value : start.value, kind == .face ? event.measured : nil)
                }
            case .smileStarted: open[key] = event
            case .smileStopped:
                let start = open.removeValue(forKey: key)
                let begin = start?.microseconds ?? event.microseconds - (event.duration ?? 0)
                add(
                    .smile, event.faceID, from: begin, to: event.microseconds, start?.value,
                    event.measured ?? start?.measured)
            case .blink, .eyesClosed, .lookAway:
                guard let kind = Annotation.Kind(rawValue: event.kind.rawValue) else { continue }
                let end = event.microseconds + (event.duration ?? 0)
                add(kind, event.faceID, from: event.microseconds, to: end, nil, event.measured)
            }
        }
        for (key, event) in open {
            add(key.kind, key.faceID, from: event.microseconds, to: samples.last, event.value, event.measured)
        }
        addShots(cuts, from: max(samples.first, 0))
        annotations.sort(by: Annotation.precedes)
    }

    /// One millisecond, the unit of ELAN and WebVTT.
    private static let shortest: Int64 = 1000

    private struct Open: Hashable {
        let faceID: Int?
        let kind: Annotation.Kind
    }

    /// Adds the shots, which cover the time from the first sample to the end.
    private mutating func addShots(_ cuts: [ResultEvent], from first: Int64) {
        var begin = first
        var value: String?
        var number = 1
        for cut in cuts + [nil] {
            let stop = cut?.microseconds ?? end
            if stop > begin {
                annotations.append(Annotation(kind: .shot, begin: begin, end: stop, value: value, shot: number))
                begin = stop
            }
            if let cut {
                value = cut.value
                number += 1
            }
        }
    }
}
