internal import VidscanBase
internal import VidscanFaces

/// Judges the samples of a track by their neighbours in the same shot: smooths boxes and points, lets brows and emotions
/// stand still while the eyes are shut, and tells a wink from a blink.
struct TrackSmoother {
    struct Entry {
        let frame: FrameRecord
        /// The number of shot changes up to this frame.
        let shot: Int
    }

    private typealias Neighbour = (offset: Double, face: FaceRecord)

    private static let reach = LocalRegression.reach + 1e-6
    private let isSmoothed: Bool
    private let outcome: TrackingOutcome
    private let baseline: Baseline
    private let metrics: Set<Metric>
    private let events: EventOptions

    init(_ options: OutputOptions, _ outcome: TrackingOutcome, _ baseline: Baseline) {
        (self.outcome, self.baseline) = (outcome, baseline)
        (isSmoothed, metrics, events) = (options.isSmoothed, Set(options.metrics), options.events)
    }

    func isBeyondWindow(_ frame: FrameRecord, _ next: FrameRecord) -> Bool { next.seconds - frame.seconds > Self.reach }

    func rows(_ window: [Entry], at position: Int) -> [FaceRow] {
        let frame = window[position].frame
        return frame.faces.filter { $0.track > 0 }.map { face in
            let track = outcome.tracks[face.track - 1]
            let before = neighbours(of: face, window, position, step: -1)
            let after = neighbours(of: face, window, position, step: 1)
            var judged = face
            if isSmoothed { smooth(&judged, before + after, in: frame.size) }
            judgeEyes(&judged, before, after)
            baseline.apply(to: &judged, faceID: track.faceID, metrics: metrics)
            return FaceRow(
                microseconds: frame.microseconds, frame: frame.index, faceID: track.faceID, personID: track.personID,
                face: judged, raw: face.numbers, metrics: metrics)
        }.sorted { $0.faceID < $1.faceID }
    }

    /// The nearest one comes first.
    private func neighbours(of face: FaceRecord, _ window: [Entry], _ position: Int, step: Int) -> [Neighbour] {
        let (hasMesh, now) = (face.numbers[.chin] != nil, window[position])
        var found: [Neighbour] = []
        var next = position + step
        while window.indices.contains(next) {
            let entry = window[next]
            let offset = entry.frame.seconds - now.frame.seconds
            guard entry.shot == now.shot, entry.frame.size == now.frame.size, abs(offset) <= Self.reach,
                let other = entry.frame.faces.first(where: { $0.track == face.track }),
                (other.numbers[.chin] != nil) == hasMesh
            else { break }
            found.append((offset, other))
            next += step
        }
        return found
    }

    private func smooth(_ face: inout FaceRecord, _ neighbours: [Neighbour], in size: PictureSize) {
        guard !neighbours.isEmpty else { return }
        let factors = LocalRegression.factors(offsets: [0] + neighbours.map(\.offset))
        face.numbers.smoothen(
            zip(factors, [face.numbers] + neighbours.map(\.face.numbers)).map { (weight: $0, numbers: $1) })
        var box = face.box
        (box.width, box.height) = (max(box.width, 1), max(box.height, 1))
        face.numbers.box = box.clamped(to: size)
    }

    private func judgeEyes(_ face: inout FaceRecord, _ before: [Neighbour], _ after: [Neighbour]) {
        // If both eyes seem shut, they may look down.
        if face.numbers[.metric(.leftEyeClosed)] != face.numbers[.metric(.rightEyeClosed)] { face.removeGaze() }
        guard let openness = face.eyeOpenness else { return }
        if let wink = face.numbers[.metric(.wink)], wink > 0 {
            let fraction = Self.openFraction(of: face, before, after)
            face.numbers[.metric(.wink)] =
                min(wink, Self.lasting(wink, before, after))
                * min(max((fraction - Self.falling) / (Self.steady - Self.falling), 0), 1)
        }
        if face.numbers[.metric(.au45)] != nil { face.numbers[.metric(.au45)] = events.closure(ofOpenness: openness) }
        if openness < Self.shut { hold(&face, before, after) }
        face.emoji = Metric.dominantEmoji(among: metrics) { face.numbers[.metric($0)] }
    }

    /// Replaces what moves with the lids by what it is just before and after, and the gaze by nothing.
    private func hold(_ face: inout FaceRecord, _ before: [Neighbour], _ after: [Neighbour]) {
        face.removeGaze()
        func isOpen(_ neighbour: Neighbour) -> Bool { neighbour.face.eyeOpenness.map { $0 >= Self.shut } ?? false }
        let (earlier, later) = (before.first(where: isOpen), after.first(where: isOpen))
        for metric in Self.moved where face.numbers[.metric(metric)] != nil {
            switch (earlier?.face.numbers[.metric(metric)], later?.face.numbers[.metric(metric)]) {
            case (let a?, let b?):
                let (start, end) = (earlier?.offset ?? 0, later?.offset ?? 0)
                face.numbers[.metric(metric)] = a + (b - a) * -start / max(end - start, .leastNonzeroMagnitude)
            case (let value?, nil), (nil, let value?): face.numbers[.metric(metric)] = value
            case (nil, nil): break
            }
        }
    }

    /// The lowest wink of the fifth of a second, of those around a sample, in which it is highest.
    private static func lasting(_ wink: Double, _ before: [Neighbour], _ after: [Neighbour]) -> Double {
        let samples = (before.reversed() + [(0, nil)] + after.map { ($0.offset, $0.face) })
            .map { (offset: $0.0, wink: $0.1.map { $0.numbers[.metric(.wink)] ?? 0 } ?? wink) }
        guard let first = samples.first?.offset, let last = samples.last?.offset, last > first else { return wink }
        let windows = samples.filter { start in
            start.offset <= 0 && start.offset + shortestWink + tolerance >= 0
                && start.offset + shortestWink <= last + tolerance
        }
        return windows.map { start in
            samples.filter { (start.offset...start.offset + shortestWink + tolerance).contains($0.offset) }.map(\.wink)
                .min() ?? 0
        }.max() ?? 0
    }

    /// How far the wider eye is open, as a fraction of what it is before and after; 1 if nothing is known of either.
    private static func openFraction(of face: FaceRecord, _ before: [Neighbour], _ after: [Neighbour]) -> Double {
        let eyes = [Metric.leftEyeOpenness, .rightEyeOpenness]
        guard let eye = eyes.max(by: { face.numbers[.metric($0)] ?? 0 < face.numbers[.metric($1)] ?? 0 }),
            let now = face.numbers[.metric(eye)],
            let earlier = before.compactMap({ $0.face.numbers[.metric(eye)] }).max(),
            let later = after.compactMap({ $0.face.numbers[.metric(eye)] }).max(), min(earlier, later) > 0
        else { return 1 }
        return now / min(earlier, later)
    }

    /// What lids move, besides the eyes themselves; they change what the pixels show of a dimple and of low corners.
    private static let moved: [Metric] = {
        let expressions: [Metric] = [.browFurrow, .browRaise, .innerBrowRaise, .dimpler, .lipCornerDepressor]
        return expressions + Metric.allCases.filter { $0.group == .emotions }
            + Metric.allCases.filter { $0.group == .emojis && $0 != .wink && $0 != .relaxed }
            + Metric.actionUnits.filter { $0.actionUnit.map { expressions.contains($0.expression) } ?? false }
    }()

    /// The openness of `EyeClosureFilter` below which the lids move the rest of the face.
    private static let shut = 50.0
    /// In seconds; both eyes of a blink seldom stay apart for so long.
    private static let shortestWink = 0.2
    /// Of times that are rounded to microseconds.
    private static let tolerance = 1e-5
    /// The open eye of a wink keeps this fraction of its openness; with the lower one, both lids fall.
    private static let steady = 0.85, falling = 0.6
}
