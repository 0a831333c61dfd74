internal import VidscanBase
internal import VidscanFaces

/// A point of a face in `faces.csv`, whose columns begin with the raw value. Left and right are the subject's own.
package enum FacePoint: String, CaseIterable, Sendable {
    case leftEye = "left_eye"
    case rightEye = "right_eye"
    case nose
    case mouth
    case leftMouthCorner = "left_mouth_corner"
    case rightMouthCorner = "right_mouth_corner"
    case chin

    /// The points that the detector finds too, in the order of `FaceLandmarks.points`.
    static let detected: [FacePoint] = [.leftEye, .rightEye, .nose, .leftMouthCorner, .rightMouthCorner]

    package var mirrored: FacePoint {
        switch self {
        case .leftEye: .rightEye
        case .rightEye: .leftEye
        case .leftMouthCorner: .rightMouthCorner
        case .rightMouthCorner: .leftMouthCorner
        case .nose, .mouth, .chin: self
        }
    }

    var meaning: String {
        switch self {
        case .leftEye: "Middle of the subject's left eye, between its corners"
        case .rightEye: "Middle of the subject's right eye, between its corners"
        case .nose: "Tip of the nose"
        case .mouth: "Middle of the mouth, between its corners"
        case .leftMouthCorner: "The mouth's corner on the subject's left"
        case .rightMouthCorner: "The mouth's corner on the subject's right"
        case .chin: "Lowest point of the chin"
        }
    }

    /// Returns `nil` for the mouth, which lies between its corners.
    func position(in mesh: FaceMesh) -> Point? {
        switch self {
        case .leftEye: mesh.middle(MeshPoint.leftEyeInner, MeshPoint.leftEyeOuter)
        case .rightEye: mesh.middle(MeshPoint.rightEyeInner, MeshPoint.rightEyeOuter)
        case .nose: mesh[MeshPoint.noseTip]
        case .mouth: nil
        case .leftMouthCorner: mesh[MeshPoint.leftMouthCorner]
        case .rightMouthCorner: mesh[MeshPoint.rightMouthCorner]
        case .chin: mesh[MeshPoint.chin]
        }
    }
}
