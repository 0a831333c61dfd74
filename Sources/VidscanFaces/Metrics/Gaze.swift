internal import Glibc
internal import VidscanBase

/// The direction of the gaze, relative to the camera's axis.
public struct Gaze: Sendable, Equatable {
    /// In degrees; > 0 to the subject's left.
    public let yaw: Double
    /// In degrees; > 0 up.
    public let pitch: Double

    /// Adds the direction of the eyes in the head to the head's direction. Each iris rotates about the eye's centre, so
    /// the sine of its angle is its distance from the midpoint of the eye's corners divided by the eyeball's radius.
    /// Both eyes are averaged.
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

    /// The limits for an iris that turns by at most 90° in a head turned as far as expressions can be measured.
    static let yaws = -(ExpressionLimits.maximumYaw + 90)...(ExpressionLimits.maximumYaw + 90)
    static let pitches = -(ExpressionLimits.maximumPitch + 90)...(ExpressionLimits.maximumPitch + 90)

    /// The distance from an eye's centre to its iris, 11 mm, if the outer eye corners are 90 mm apart.
    private static let radius = 0.122
    /// The offset of the iris's centre from the line between the eye's corners when it looks ahead; positive is down.
    private static let restingHeight = -0.017
}

/// The limits within which expressions can be measured.
public enum ExpressionLimits {
    /// The maximum yaw from the camera's axis, in degrees. The scores' mean correlation with the reference is 0.9 up to
    /// 10°, 0.87 at 20–30° and 0.67 beyond. Beyond this angle, only the near eye is measured, up to `NearEye.maximumYaw`.
    /// Smiles are not measured there: in a man who laughs all the time, the score is above the threshold in 9 of 16 samples.
    public static let maximumYaw = 40.0
    /// The maximum pitch up or down, in degrees.
    public static let maximumPitch = 30.0
    /// The maximum yaw in degrees for metrics that compare the halves of the face, because the far half is
    /// foreshortened.
    public static let maximumYawOfHalves = 25.0
    /// The minimum distance between the outer eye corners in pixels, as in a frontal view of the face. At this
    /// distance, a pixel is 5 % of it.
    public static let minimumEyePixels = 20.0

    /// The metrics that compare the halves of the face.
    static let halves: [Metric] = [.wink, .smirk, .contempt, .emojiSmirk]

    /// Returns whether a face is large enough and frontal enough.
    public static func allow(mesh: FaceMesh, pose: HeadPose) -> Bool {
        abs(pose.yaw) <= maximumYaw && abs(pose.pitch) <= maximumPitch && eyePixels(of: mesh) >= minimumEyePixels
    }

    /// Returns the distance between the outer eye corners in pixels, as in a frontal view of the face.
    static func eyePixels(of mesh: FaceMesh) -> Double {
        let inPicture = mesh.distance(MeshPoint.rightEyeOuter, MeshPoint.leftEyeOuter)
        let depth = (mesh.z(MeshPoint.rightEyeOuter) - mesh.z(MeshPoint.leftEyeOuter)) * HeadPose.depthFactor
        return (inPicture * inPicture + depth * depth).squareRoot()
    }
}
