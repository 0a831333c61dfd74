internal import VidscanBase

/// What can be measured of a face, which depends on its size and on how far it is turned.
public enum MeasurableFace: Sendable, Equatable {
    case whole
    case oneEye(NearEye)

    /// Fails if nothing can be measured. `presence` is the mesh's probability, 0…1.
    public init?(mesh: FaceMesh, pose: HeadPose, presence: Double) {
        if ExpressionLimits.allow(mesh: mesh, pose: pose) {
            self = .whole
        } else if (ExpressionLimits.maximumYaw...NearEye.maximumYaw).contains(abs(pose.yaw)),
            abs(pose.pitch) <= ExpressionLimits.maximumPitch,
            ExpressionLimits.eyePixels(of: mesh) >= NearEye.minimumEyePixels, presence >= NearEye.minimumPresence
        {
            self = .oneEye(NearEye(yaw: pose.yaw))
        } else {
            return nil
        }
    }
}

public enum ExpressionLimits {
    /// In degrees from the camera's axis. The scores' mean correlation with the reference is 0.9 up to 10°, 0.87 at
    /// 20–30° and 0.67 beyond. From here to `NearEye.maximumYaw`, only the near eye is measured, and no smile: in a man
    /// who laughs all the time, the score is above the threshold in 9 of 16 samples.
    public static let maximumYaw = 40.0
    /// In degrees, up or down.
    public static let maximumPitch = 30.0
    /// In degrees, for metrics that compare the halves of the face, because the far half is foreshortened.
    public static let maximumYawOfHalves = 25.0
    /// Between the outer eye corners, as in a frontal view. Here, a pixel is 5 % of the distance.
    public static let minimumEyePixels = 20.0

    /// Metrics that compare the halves of the face.
    static let halves: [Metric] = [.wink, .smirk, .contempt, .emojiSmirk]

    public static func allow(mesh: FaceMesh, pose: HeadPose) -> Bool {
        abs(pose.yaw) <= maximumYaw && abs(pose.pitch) <= maximumPitch && eyePixels(of: mesh) >= minimumEyePixels
    }

    /// The distance between the outer eye corners in pixels, as in a frontal view.
    static func eyePixels(of mesh: FaceMesh) -> Double {
        let inPicture = mesh.distance(MeshPoint.rightEyeOuter, MeshPoint.leftEyeOuter)
        let depth = (mesh.z(MeshPoint.rightEyeOuter) - mesh.z(MeshPoint.leftEyeOuter)) * HeadPose.depthFactor
        return (inPicture * inPicture + depth * depth).squareRoot()
    }
}

/// The eye on the side of the face that is turned towards the camera; the mesh guesses the far eye from an average
/// face. In 48 samples with 40 to 55 degrees of yaw that were labelled by sight, the near eye's openness is 53 or more
/// in all open eyes and 20 or less in all closed ones; the far eye's is above 40 in every one.
public enum NearEye: Sendable {
    case left, right

    /// - Parameter yaw: In degrees; > 0 if the subject turns to their left, so that their right side faces the camera.
    public init(yaw: Double) { self = yaw > 0 ? .right : .left }

    var metrics: [Metric] {
        self == .left ? [.leftEyeOpenness, .leftEyeClosed] : [.rightEyeOpenness, .rightEyeClosed]
    }

    /// In degrees. Nothing was validated beyond.
    public static let maximumYaw = 55.0
    /// Beyond `ExpressionLimits.maximumYaw`. In smaller faces, the openness changes where the eye does not.
    public static let minimumEyePixels = 4 * ExpressionLimits.minimumEyePixels
    /// If the head is turned further than the mesh shows, the presence falls and the mesh's eye lies beside the face's.
    public static let minimumPresence = 0.999
}
