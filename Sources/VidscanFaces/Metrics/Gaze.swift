internal import Glibc
internal import VidscanBase

/// The direction of the gaze, relative to the camera's axis.
public struct Gaze: Sendable, Equatable {
    /// In degrees; > 0 to the subject's left.
    public let yaw: Double
    /// In degrees; > 0 up.
    public let pitch: Double

    /// Adds the direction of the eyes in the head to the head's. The sine of an iris's angle is its distance from the
    /// midpoint of the eye's corners, divided by the eyeball's radius. Averages both eyes.
    init(_ face: AlignedFace, pose: HeadPose) {
        func shift(iris: Int, inner: Int, outer: Int) -> (x: Double, y: Double) {
            let (a, b) = (face.points[inner], face.points[outer])
            return (face.points[iris].x - (a.x + b.x) / 2, face.points[iris].y - (a.y + b.y) / 2)
        }
        let right = shift(iris: 468, inner: 133, outer: 33)
        let left = shift(iris: 473, inner: 362, outer: 263)
        func degrees(_ distance: Double) -> Double { asin(min(max(distance / Self.radius, -1), 1)) * 180 / .pi }
        yaw = pose.yaw + degrees((right.x + left.x) / 2)
        pitch = pose.pitch - degrees((right.y + left.y) / 2 - Self.restingHeight)
    }

    /// For an iris that turns by at most 90° in a head turned as far as expressions can be measured.
    static let yaws = -(ExpressionLimits.maximumYaw + 90)...(ExpressionLimits.maximumYaw + 90)
    static let pitches = -(ExpressionLimits.maximumPitch + 90)...(ExpressionLimits.maximumPitch + 90)

    /// Of an eyeball, 11 mm, if the outer eye corners are 90 mm apart.
    private static let radius = 0.122
    /// Of the iris's centre below the line between the eye's corners when it looks ahead.
    private static let restingHeight = -0.017
}
