internal import Glibc
internal import VidscanBase

/// The motion of a face: its box, and a velocity that decays while the face is not seen, because a linear prediction
/// becomes less and less reliable.
struct MotionEstimate: Sendable {
    /// The time in seconds after which the velocity has decayed to 1/e.
    private static let fading = 0.5
    private(set) var box: Rectangle
    private(set) var seconds: Double
    /// Pixels per second.
    private(set) var velocity = Point(x: 0, y: 0)
    /// The change of the logarithm of the size, per second.
    private var growth = 0.0
    private var samples = 1

    init(box: Rectangle, seconds: Double) {
        self.box = box
        self.seconds = seconds
    }

    /// Returns the predicted box at a time in seconds.
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

    /// Updates the motion with the box of a matched detection.
    mutating func follow(_ next: Rectangle, at time: Double) {
        let elapsed = time - seconds
        if elapsed > 0 {
            let (from, to) = (box.center, next.center)
            let measured = Point(x: (to.x - from.x) / elapsed, y: (to.y - from.y) / elapsed)
            // A box jitters by a few hundredths of its size, which is a large velocity over a short step.
            let trust = samples == 1 ? min(1, elapsed / 0.1) : elapsed / (elapsed + 0.08)
            velocity = Point(
                x: velocity.x + trust * (measured.x - velocity.x), y: velocity.y + trust * (measured.y - velocity.y))
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
