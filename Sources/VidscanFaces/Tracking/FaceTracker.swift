internal import Glibc
internal import VidscanBase

/// Assigns the faces of successive samples to tracks, each of which follows one person.
///
/// Pairs faces with tracks so that the total evidence of position and appearance is largest. A face with low confidence
/// may continue but not start a track. A cut ends every track, because identity across it is better decided once both
/// shots are known (`TrackletLinker`). Numbers count from 1, from left to right within a sample, and are never reused.
package struct FaceTracker: Sendable {
    /// For a face in almost the same position, a moment later in the same shot.
    private static let minimumAppearanceScore = -2.2

    private struct Track: Sendable {
        var id: Int
        var motion: MotionEstimate
        var profile, recent: IdentityProfile
        var wasInLastSample = true
    }

    private let maximumGapSeconds, startingConfidence: Double
    private let shapeVariances: [Double]
    private var tracks: [Track] = []
    private var lastID = 0

    /// - Parameters:
    ///   - maximumGapSeconds: How long a face can be out of sight and keep its track.
    ///   - startingConfidence: Minimum confidence of a face that starts a track, 0…1.
    ///   - shapeVariances: Between people, of each number of a shape, relative to one person's images; empty without
    ///     shapes.
    package init(maximumGapSeconds: Double = 1, startingConfidence: Double = 0.5, shapeVariances: [Double] = []) {
        (self.maximumGapSeconds, self.startingConfidence) = (maximumGapSeconds, startingConfidence)
        self.shapeVariances = shapeVariances
    }

    /// Tracks that a later sample may continue.
    package var activeTracks: Set<Int> { Set(tracks.map(\.id)) }

    /// Returns the track of each face; `nil` if its confidence is too low to start one. Boxes are in display space.
    ///
    /// - Parameters:
    ///   - isAfterCut: Whether a shot began after the previous sample and at or before this one.
    ///   - strangers: Indices of detections that start a track, and end the one that they would continue.
    package mutating func update(
        _ detections: [TrackedDetection], seconds: Double, isAfterCut: Bool = false, strangers: Set<Int> = []
    ) -> [Int?] {
        tracks.removeAll { isAfterCut || seconds - $0.motion.seconds > maximumGapSeconds + 1e-6 }
        let profiles = detections.map { IdentityProfile($0) }
        var ids = pair(detections, profiles, seconds: seconds)
        for index in strangers {
            tracks.removeAll { $0.id == ids[index] }
            ids[index] = nil
        }
        let newcomers = detections.indices.filter {
            ids[$0] == nil && (detections[$0].confidence >= startingConfidence || strangers.contains($0))
        }
        for index in newcomers.sorted(by: { (detections[$0].box.x, $0) < (detections[$1].box.x, $1) }) {
            lastID += 1
            ids[index] = lastID
            tracks.append(
                Track(
                    id: lastID, motion: MotionEstimate(box: detections[index].box, seconds: seconds),
                    profile: profiles[index], recent: profiles[index]))
        }
        return ids
    }

    private mutating func pair(_ faces: [TrackedDetection], _ profiles: [IdentityProfile], seconds: Double) -> [Int?] {
        let cost: [Double?] = tracks.flatMap { track in
            zip(faces, profiles).map { value(of: track, $0, $1, seconds: seconds).map { -$0 } }
        }
        let columns = Assignment.solve(cost: cost, rowCount: tracks.count, columnCount: faces.count, unpaired: 0)
        var ids = [Int?](repeating: nil, count: faces.count)
        for (row, column) in columns.enumerated() {
            tracks[row].wasInLastSample = column != nil
            guard let column else { continue }
            let detection = faces[column]
            ids[column] = tracks[row].id
            tracks[row].motion.follow(detection.box, at: seconds)
            // A partly occluded face would add the appearance of what occludes it.
            if detection.confidence >= startingConfidence {
                tracks[row].profile.add(detection, memory: 12)
                tracks[row].recent.add(detection, memory: 1)
            }
        }
        return ids
    }

    /// The evidence that the detection is the track's face, or `nil` if there is too little.
    private func value(
        of track: Track, _ detection: TrackedDetection, _ profile: IdentityProfile, seconds: Double
    ) -> Double? {
        let elapsed = seconds - track.motion.seconds
        var difference = track.profile.difference(to: profile, betweenVariances: shapeVariances)
        let recent = track.recent.difference(to: profile)
        for part in [\IdentityProfile.Difference.portrait, \.hair, \.clothes] {
            difference[keyPath: part] = [difference, recent].compactMap { $0[keyPath: part] }.min()
        }
        let position = AssociationScore.position(
            track.motion.predicted(at: seconds), last: track.motion.box, detection: detection.box, elapsed: elapsed)
        // Appearance cannot compensate for an impossible position.
        guard position > -4.5 else { return nil }
        // Between two frames a face moves little, but a hand, a turn or the frame's edge can change its appearance.
        // Over a longer step it is the other way round.
        let trust = track.wasInLastSample ? min(1, 0.35 + elapsed * 3) : 1
        let confidence = min(1, detection.confidence / max(startingConfidence, 0.1))
        var appearance = AssociationScore.appearance(difference)
        if appearance < 0 {
            appearance *= trust * confidence
            let overlap = track.motion.box.intersectionOverUnion(with: detection.box)
            if track.wasInLastSample, elapsed < 0.35, overlap > 0.45 {
                appearance = max(appearance, Self.minimumAppearanceScore)
            }
        }
        let total = position + appearance
        // After a gap, someone else may be in the same position.
        return total > (track.wasInLastSample ? 0 : 0.5) ? total : nil
    }
}

/// The evidence that a detection is a track's face, roughly a sum of log likelihood ratios: above 0, it is likely.
enum AssociationScore {
    /// `predicted` follows the track's motion; `elapsed` is the time in seconds since the track was last seen.
    static func position(_ predicted: Rectangle, last: Rectangle, detection: Rectangle, elapsed: Double) -> Double {
        let size = max((predicted.size * detection.size).squareRoot(), 1)
        let distance =
            min((predicted.center - detection.center).length, (last.center - detection.center).length + 0.1 * size)
            / size
        let scale = 0.12 + 1.1 * min(elapsed, 1.5)
        let ratio = log(max(detection.size, 1) / max(predicted.size, 1)) / (0.18 + 0.4 * min(elapsed, 1))
        let overlap = predicted.intersectionOverUnion(with: detection)
        return 1.6 - 1.3 * log(1 + distance * distance / (scale * scale)) - min(0.5 * ratio * ratio, 4) + 1.2 * overlap
    }

    static func appearance(_ difference: IdentityProfile.Difference) -> Double {
        var sum = 0.0
        if let portrait = difference.portrait { sum += ramp(portrait, same: 0.06, other: 0.38, 1.2, -2.2) }
        if let hair = difference.hair { sum += ramp(hair, same: 0.12, other: 0.45, 0.8, -1.6) }
        if let clothes = difference.clothes { sum += ramp(clothes, same: 0.12, other: 0.45, 1, -1.6) }
        if let skin = difference.skin { sum += ramp(skin, same: 0.1, other: 0.5, 0.3, -1) }
        if let shape = difference.shapeEvidence { sum += min(max(0.35 * shape, -4), 1.5) }
        return sum
    }

    private static func ramp(_ value: Double, same: Double, other: Double, _ high: Double, _ low: Double) -> Double {
        high + VidscanFaces.ramp(value, same, other) * (low - high)
    }
}

/// A face's box and a velocity that decays while the face is out of sight, because predictions become unreliable.
struct MotionEstimate: Sendable {
    /// Seconds in which the velocity decays to 1/e.
    private static let fading = 0.5
    private(set) var box: Rectangle
    private(set) var seconds: Double
    /// Pixels per second.
    private var velocity = Point.zero
    /// Change of the logarithm of the size, per second.
    private var growth = 0.0
    private var samples = 1

    init(box: Rectangle, seconds: Double) { (self.box, self.seconds) = (box, seconds) }

    func predicted(at time: Double) -> Rectangle {
        let elapsed = max(0, time - seconds)
        let reach = Self.fading * (1 - exp(-elapsed / Self.fading))
        let factor = exp(min(max(growth * reach, -0.5), 0.5))
        let center = box.center + velocity * reach
        let (width, height) = (box.width * factor, box.height * factor)
        return Rectangle(x: center.x - width / 2, y: center.y - height / 2, width: width, height: height)
    }

    mutating func follow(_ next: Rectangle, at time: Double) {
        let elapsed = time - seconds
        if elapsed > 0 {
            let measured = (next.center - box.center) / elapsed
            // A box jitters by a few hundredths of its size, which is a large velocity over a short step.
            let trust = samples == 1 ? min(1, elapsed / 0.1) : elapsed / (elapsed + 0.08)
            velocity = velocity + (measured - velocity) * trust
            if box.area > 0, next.area > 0 { growth += trust * 0.5 * (log(next.size / box.size) / elapsed - growth) }
        }
        (box, seconds) = (next, time)
        samples += 1
    }
}
