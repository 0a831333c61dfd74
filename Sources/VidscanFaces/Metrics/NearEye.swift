/// The eye on the side of the face that is turned towards the camera.
///
/// The far eye is foreshortened until the mesh guesses it from an average face. In 48 samples with 40 to 55 degrees of
/// yaw that were labelled by sight, the near eye's openness is 53 or more in all open eyes and 20 or less in all closed
/// ones; the far eye's is above 40 in every one.
public enum NearEye: Sendable {
    case left, right

    /// - Parameter yaw: The yaw of the head in degrees; > 0 if the subject turns to their left, so that their right side
    ///   faces the camera.
    public init(yaw: Double) { self = yaw > 0 ? .right : .left }

    /// The metrics that need this eye only.
    var metrics: [Metric] {
        self == .left ? [.leftEyeOpenness, .leftEyeClosed] : [.rightEyeOpenness, .rightEyeClosed]
    }

    /// The maximum yaw in degrees at which the near eye can be measured. Nothing was validated beyond.
    public static let maximumYaw = 55.0
    /// The minimum distance between the outer eye corners in pixels, as in a frontal view, beyond
    /// `ExpressionLimits.maximumYaw`. In smaller faces, the openness changes where the eye does not.
    public static let minimumEyePixels = 4 * ExpressionLimits.minimumEyePixels
    /// The minimum presence of the mesh there. The presence falls where the head is turned further than the mesh shows, and
    /// the mesh's eye lies beside the face's.
    public static let minimumPresence = 0.999
}

/// The parts of a face that can be measured, which depends on its size and on how far it is turned.
public enum MeasurableFace: Sendable, Equatable {
    /// All metrics.
    case whole
    /// The openness of one eye.
    case oneEye(NearEye)

    /// - Parameters:
    ///   - presence: The probability, 0…1, that the mesh model assigns to the face.
    /// - Returns: `nil` if nothing can be measured.
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
