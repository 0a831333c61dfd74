internal import Glibc
internal import VidscanBase

/// Where a face looks, relative to the camera's axis.
public struct Gaze: Sendable, Equatable {
    /// Degrees; > 0 to the subject's left.
    public let yaw: Double
    /// Degrees; > 0 up.
    public let pitch: Double

    /// Adds to the head's direction that of the eyes in it: each iris turns about the eye's centre, so its distance from
    /// the middle of the eye's corners over the eyeball's radius is the sine of an angle; both eyes are averaged.
    init(_ face: AlignedFace, pose: HeadPose) {
        func shift(iris: Int, inner: Int, outer: Int) -> (x: Double, y: Double) {
            let (a, b) = (face.points[inner], face.points[outer])
            return (face.points[iris].x - (a.x + b.x) / 2, face.points[iris].y - (a.y + b.y) / 2)
        }
        let right = shift(iris: 468, inner: 133, outer: 33)
        let left = shift(iris: 473, inner: 362, outer: 263)
        func degrees(_ distance: Double) -> Double {
            asin(min(max(distance / Self.radius, -1), 1)) * 180 / .pi
        }
        yaw = pose.yaw + degrees((right.x + left.x) / 2)
        pitch = pose.pitch - degrees((right.y + left.y) / 2 - Self.restingHeight)
    }

    /// An iris turns by a right angle at most, on a head that is turned as far as expressions can be told.
    static let yaws = -(ExpressionLimits.maximumYaw + 90)...(ExpressionLimits.maximumYaw + 90)
    static let pitches = -(ExpressionLimits.maximumPitch + 90)...(ExpressionLimits.maximumPitch + 90)

    /// From an eye's centre to its iris, 11 mm, where outer eye corners lie 90 mm apart.
    private static let radius = 0.122
    /// How far the middle of the iris lies below the line of the eye's corners when it looks ahead.
    private static let restingHeight = -0.017
}

/// When expressions can be told.
public enum ExpressionLimits {
    /// Degrees from the camera's axis, sideways. The scores' mean correlation with the reference is 0.9 up to 10°, 0.87 at
    /// 20–30° and 0.67 beyond.
    public static let maximumYaw = 40.0
    /// Degrees up or down.
    public static let maximumPitch = 30.0
    /// Degrees sideways, for what compares the face's halves: the far one is seen foreshortened.
    public static let maximumYawOfHalves = 25.0
    /// Between the outer eye corners, as they would lie in a face seen from the front. Here a pixel is 5 % of that.
    public static let minimumEyePixels = 20.0

    /// The metrics that compare the face's halves.
    static let halves: [Metric] = [.wink, .smirk, .contempt, .emojiSmirk]

    /// Whether a face is large enough and turned little enough.
    public static func allow(mesh: FaceMesh, pose: HeadPose) -> Bool {
        guard abs(pose.yaw) <= maximumYaw, abs(pose.pitch) <= maximumPitch else { return false }
        let inPicture = mesh.distance(MeshPoint.rightEyeOuter, MeshPoint.leftEyeOuter)
        let depth = (mesh.z(MeshPoint.rightEyeOuter) - mesh.z(MeshPoint.leftEyeOuter)) * HeadPose.depthFactor
        return (inPicture * inPicture + depth * depth).squareRoot() >= minimumEyePixels
    }
}
