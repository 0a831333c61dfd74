internal import VidscanBase

/// Assigns the faces of successive samples to tracks, each of which follows one person.
///
/// Pairs faces with tracks so that the total evidence of position and appearance is largest. A face with low confidence
/// may continue a track but not start one. A cut ends every track, because identity across it is better decided once
/// both shots have been seen (`TrackletLinker`). Numbers count from 1, from left to right within a sample, and are
/// never reused.
public struct FaceTracker: Sendable {
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
    public init(maximumGapSeconds: Double = 1, startingConfidence: Double = 0.5, shapeVariances: [Double] = []) {
        (self.maximumGapSeconds, self.startingConfidence) = (maximumGapSeconds, startingConfidence)
        self.shapeVariances = shapeVariances
    }

    /// Tracks that a later sample may continue.
    public var activeTracks: Set<Int> { Set(tracks.map(\.id)) }

    /// Returns the track of each face; `nil` if its confidence is too low to start one. Boxes are in display space.
    ///
    /// - Parameters:
    ///   - isAfterCut: Whether a shot began after the previous sample and at or before this one.
    ///   - strangers: Indices of detections that start a track, and end the one that they would continue.
    public mutating func update(
        _ detections: [TrackedDetection], seconds: Double, isAfterCut: Bool = false, strangers: Set<Int> = []
    ) -> [Int?] {
        tracks.removeAll { seconds - $0.motion.seconds > maximumGapSeconds + 1e-6 }
        if isAfterCut { tracks.removeAll() }
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

    private mutating func pair(_ detections: [TrackedDetection], _ profiles: [IdentityProfile], seconds: Double)
        -> [Int?]
    {
        var cost = [Double?](repeating: nil, count: tracks.count * detections.count)
        for (row, track) in tracks.enumerated() {
            for column in detections.indices {
                let value = value(of: track, detections[column], profiles[column], seconds: seconds)
                if let value { cost[row * detections.count + column] = -value }
            }
        }
        let columns = Assignment.solve(cost: cost, rowCount: tracks.count, columnCount: detections.count, unpaired: 0)
        var ids = [Int?](repeating: nil, count: detections.count)
        for (row, column) in columns.enumerated() {
            guard let column else {
                tracks[row].wasInLastSample = false
                continue
            }
            let detection = detections[column]
            ids[column] = tracks[row].id
            tracks[row].motion.follow(detection.box, at: seconds)
            tracks[row].wasInLastSample = true
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
        let needed = track.wasInLastSample ? 0 : 0.5
        return total > needed ? total : nil
    }
}
