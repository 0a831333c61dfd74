internal import Glibc
internal import VidscanBase

/// The evidence that a detection is a track's face, roughly a sum of log likelihood ratios. Above 0, the same face is
/// more likely than another one.
struct AssociationScore: Sendable {
    let betweenVariances: [Double]

    /// Returns the score from position and size.
    ///
    /// - Parameters:
    ///   - predicted: The box where the track's motion predicts the face.
    ///   - last: The box where the track was last seen.
    ///   - trackedDetection: The detection's box.
    ///   - elapsed: The time in seconds since the track was last seen.
    func position(_ predicted: Rectangle, last: Rectangle, trackedDetection: Rectangle, elapsed: Double) -> Double {
        let size = max((predicted.size * trackedDetection.size).squareRoot(), 1)
        let distance =
            min(Self.distance(predicted, trackedDetection), Self.distance(last, trackedDetection) + 0.1 * size) / size
        let spread = 0.12 + 1.1 * min(elapsed, 1.5)
        let ratio = log(max(trackedDetection.size, 1) / max(predicted.size, 1)) / (0.18 + 0.4 * min(elapsed, 1))
        let overlap = predicted.intersectionOverUnion(with: trackedDetection)
        return 1.6 - 1.3 * log(1 + distance * distance / (spread * spread)) - min(0.5 * ratio * ratio, 4)
            + 1.2 * overlap
    }

    /// Returns the score from appearance and shape.
    func appearance(_ difference: IdentityProfile.Difference) -> Double {
        var sum = 0.0
        if let portrait = difference.portrait { sum += Self.ramp(portrait, same: 0.06, other: 0.38, 1.2, -2.2) }
        if let hair = difference.hair { sum += Self.ramp(hair, same: 0.12, other: 0.45, 0.8, -1.6) }
        if let clothes = difference.clothes { sum += Self.ramp(clothes, same: 0.12, other: 0.45, 1, -1.6) }
        if let skin = difference.skin { sum += Self.ramp(skin, same: 0.1, other: 0.5, 0.3, -1) }
        if let shape = difference.shapeEvidence { sum += min(max(0.35 * shape, -4), 1.5) }
        return sum
    }

    private static func ramp(_ value: Double, same: Double, other: Double, _ high: Double, _ low: Double) -> Double {
        let share = min(max((value - same) / (other - same), 0), 1)
        return high + share * (low - high)
    }

    private static func distance(_ a: Rectangle, _ b: Rectangle) -> Double {
        let (from, to) = (a.center, b.center)
        return ((from.x - to.x) * (from.x - to.x) + (from.y - to.y) * (from.y - to.y)).squareRoot()
    }
}
