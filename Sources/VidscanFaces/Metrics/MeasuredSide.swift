package import VidscanBase

/// The side of a face, the subject's own, from which it is measured: the one that is turned towards the camera, if the
/// other is hardly visible. The mesh guesses what it cannot see from an average face.
public enum MeasuredSide: String, Sendable {
    case both, left, right

    /// Fails if nothing but the head's direction can be measured. `presence` is the mesh's probability, 0…1.
    package init?(mesh: FaceMesh, pose: HeadPose, presence: Double) {
        guard ExpressionLimits.eyePixels(of: mesh) >= ExpressionLimits.minimumEyePixels else { return nil }
        self.init(pose: pose, presence: presence)
    }

    /// Of a face that is large enough.
    init?(pose: HeadPose, presence: Double) {
        guard abs(pose.pitch) <= ExpressionLimits.maximumPitch else { return nil }
        self.init(yaw: pose.yaw)
        guard self == .both || presence >= ExpressionLimits.minimumPresenceOfSide else { return nil }
    }

    /// - Parameter yaw: In degrees; > 0 if the subject turns to their left, so that their right side faces the camera.
    package init?(yaw: Double) {
        guard abs(yaw) <= ExpressionLimits.maximumYawOfSide else { return nil }
        self = abs(yaw) <= ExpressionLimits.maximumYaw ? .both : yaw > 0 ? .right : .left
    }
}

package enum ExpressionLimits {
    /// In degrees from the line to the camera. The scores' mean correlation with the reference is 0.9 up to 10°, 0.87
    /// at 20–30° and 0.67 beyond.
    package static let maximumYaw = 40.0
    /// In degrees. From `maximumYaw` to here, one side is measured.
    package static let maximumYawOfSide = 60.0
    package static let maximumPitch = 30.0
    /// In degrees, for metrics that compare the halves of the face, because the far half is foreshortened.
    package static let maximumYawOfHalves = 25.0
    /// Between the outer eye corners, as in a frontal view. Here, a pixel is 5 % of the distance.
    package static let minimumEyePixels = 20.0
    /// Here, masks are seen as often as in larger faces.
    package static let minimumEyePixelsOfCovers = 12.0
    /// In degrees. From `maximumPitch` on, 7 of 7 masks are seen, and none of 42 bare mouths counts as covered.
    package static let maximumPitchOfCovers = 45.0
    /// For the eye of a side: in smaller faces, its openness changes where the eye does not. In 48 samples at 40 to 55 degrees
    /// of yaw, labelled by sight, the near eye's is 53 or more if open, 20 or less if closed; the far eye's always above 40.
    package static let minimumEyePixelsOfSide = 80.0
    /// If the head is turned further than the mesh shows, the presence falls and the mesh lies beside the face.
    package static let minimumPresenceOfSide = 0.999
    /// From this likelihood on, 0…100, a part of the face counts as covered and is not measured.
    package static let covered = 50.0
    /// A turned face without a mesh is only measured from here on: 12 of 22 masks reach it, none of about 200 bare faces.
    package static let coveredIfTurned = 99.85
    /// Metrics that compare the halves of the face.
    static let halves: [Metric] = [.wink, .smirk, .contempt, .emojiSmirk]

    /// Whether the pixels tell what covers the face.
    package static func showCovers(of mesh: FaceMesh, pose: HeadPose) -> Bool {
        abs(pose.pitch) <= maximumPitchOfCovers && eyePixels(of: mesh) >= minimumEyePixelsOfCovers
            && abs(pose.yaw) <= maximumYawOfSide
    }

    /// The distance between the outer eye corners in pixels, as in a frontal view.
    static func eyePixels(of mesh: FaceMesh) -> Double {
        let inPicture = mesh.distance(MeshPoint.rightEyeOuter, MeshPoint.leftEyeOuter)
        let depth = (mesh.z(MeshPoint.rightEyeOuter) - mesh.z(MeshPoint.leftEyeOuter)) * HeadPose.depthFactor
        return (inPicture * inPicture + depth * depth).squareRoot()
    }
}

/// What the pixels of a face show.
package struct PixelEvidence: Sendable, Equatable {
    /// The clipped log odds of each of ``EmotionNetwork/emotions``.
    package var emotions: [Double]
    /// How likely something covers the mouth or the eyes, 0…100: a mask, a hand, sunglasses, a microphone.
    package var mouthCovered, eyesCovered: Double

    package init(emotions: [Double], mouthCovered: Double = 0, eyesCovered: Double = 0) {
        (self.emotions, self.mouthCovered, self.eyesCovered) = (emotions, mouthCovered, eyesCovered)
    }

    /// Whether to trust the covers in a crop that no mesh has placed.
    package func tellsCovers(ofTurned isTurned: Bool) -> Bool {
        !isTurned || mouthCovered >= ExpressionLimits.coveredIfTurned
    }

    /// Covers what the edge of the picture cuts off, where the crop repeats the edge's pixels.
    package func covering(_ mesh: FaceMesh, outside size: PictureSize) -> PixelEvidence {
        covering(
            mouth: [MeshPoint.rightMouthCorner, MeshPoint.leftMouthCorner, MeshPoint.lowerLip].map { mesh[$0] },
            eyes: [MeshPoint.rightIris, MeshPoint.leftIris, MeshPoint.rightBrow, MeshPoint.leftBrow].map { mesh[$0] },
            outside: size)
    }

    package func covering(mouth: [Point], eyes: [Point], outside size: PictureSize) -> PixelEvidence {
        PixelEvidence(
            emotions: emotions, mouthCovered: mouth.allSatisfy(size.contains) ? mouthCovered : 100,
            eyesCovered: eyes.allSatisfy(size.contains) ? eyesCovered : 100)
    }
}

/// Parts of a face that something may cover.
struct FaceRegion: OptionSet, Sendable {
    let rawValue: Int

    static let mouth = FaceRegion(rawValue: 1), eyes = FaceRegion(rawValue: 2)

    static func covered(mouth: Double?, eyes: Double?) -> FaceRegion {
        var regions: FaceRegion = []
        if let mouth, mouth >= ExpressionLimits.covered { regions.insert(.mouth) }
        if let eyes, eyes >= ExpressionLimits.covered { regions.insert(.eyes) }
        return regions
    }
}
