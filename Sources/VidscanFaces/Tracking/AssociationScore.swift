internal import Glibc
internal import VidscanBase

/// The evidence that a detection is a track's face, roughly a sum of log likelihood ratios: above 0, it is likely.
enum AssociationScore {
    /// `predicted` follows the track's motion; `elapsed` is the time in seconds since the track was last seen.
    static func position(_ predicted: Rectangle, last: Rectangle, detection: Rectangle, elapsed: Double) -> Double {
        let size = max((predicted.size * detection.size).squareRoot(), 1)
        let distance =
            min((predicted.center - detection.center).length, (last.center - detection.center).length + 0.1 * size)
            / size
        let spread = 0.12 + 1.1 * min(elapsed, 1.5)
        let ratio = log(max(detection.size, 1) / max(predicted.size, 1)) / (0.18 + 0.4 * min(elapsed, 1))
        let overlap = predicted.intersectionOverUnion(with: detection)
        return 1.6 - 1.3 * log(1 + distance * distance / (spread * spread)) - min(0.5 * ratio * ratio, 4)
            + 1.2 * overlap
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
        high + min(max((value - same) / (other - same), 0), 1) * (low - high)
    }
}

/// A face's box and a velocity that decays while the face is out of sight, because predictions become unreliable.
struct MotionEstimate: Sendable {
    /// Seconds in which the velocity decays to 1/e.
    private static let fading = 0.5
    private(set) var box: Rectangle
    private(set) var seconds: Double
    /// Pixels per second.
    private(set) var velocity = Point(x: 0, y: 0)
    /// Change of the logarithm of the size, per second.
    private var growth = 0.0
    private var samples = 1

    init(box: Rectangle, seconds: Double) { (self.box, self.seconds) = (box, seconds) }

    func predicted(at time: Double) -> Rectangle {
        let elapsed = max(0, time - seconds)
        let reach = Self.fading * (1 - exp(-elapsed / Self.fading))
        let factor = exp(min(max(growth * reach, -0.5), 0.5))
        let center = box.center
        let (width, height) = (box.width * factor, box.height * factor)
        return Rectangle(
            x: center.x + velocity.x * reach - width / 2, y: center.y + velocity.y * reach - height / 2, width: width,
            height: height)
    }

    mutating func follow(_ next: Rectangle, at time: Double) {
        let elapsed = time - seconds
        if elapsed > 0 {
            let measured = (next.center - box.center) / elapsed
            // A box jitters by a few hundredths of its size, which is a large velocity over a short step.
            let trust = samples == 1 ? min(1, elapsed / 0.1) : elapsed / (elapsed + 0.08)
            velocity = velocity + (measured - velocity) * trust
            if box.area > 0, next.area > 0 {
                let measuredGrowth = log(next.size / box.size) / elapsed
                growth += trust * 0.5 * (measuredGrowth - growth)
            }
        }
        box = next
        seconds = time
        samples += 1
    }
}
