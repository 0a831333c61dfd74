package import VidscanBase

package struct AnalyzedFace: Sendable {
    package var detection: FaceDetection
    /// The mesh's probability, 0…1; 0 if the model did not run.
    package var presence: Double
    /// `nil` if none fits, in which case `pose`, `quality`, `shape` and `square` are `nil` too.
    package var mesh: FaceMesh?
    package var pose: HeadPose?
    package var quality: PictureQuality?
    /// Of a small or turned face, only attention and covers; without a mesh, only covers. `nil` if none are requested.
    package var expressions: FaceExpressions?
    package var appearance: AppearanceDescriptor?
    /// `nil` unless the face is frontal and large enough.
    package var shape: [Float]?
    /// The crop that the mesh implies.
    package var square: RotatedSquare?
    /// For the face's embedding; only in a few samples.
    package var crop: FaceCrop?
    /// Whether the face has a crop, in this sample or in another one of the shot and chunk.
    package var hasCrop = false

    package init(
        detection: FaceDetection, presence: Double, mesh: FaceMesh? = nil, pose: HeadPose? = nil,
        quality: PictureQuality? = nil, expressions: FaceExpressions? = nil, appearance: AppearanceDescriptor? = nil,
        shape: [Float]? = nil, square: RotatedSquare? = nil
    ) {
        (self.detection, self.presence, self.mesh) = (detection, presence, mesh)
        (self.pose, self.quality, self.expressions) = (pose, quality, expressions)
        (self.appearance, self.shape, self.square) = (appearance, shape, square)
    }

    /// Whether the mesh shows a face that is turned by less than 90° in the frame; `false` without a mesh.
    package var isUpright: Bool { square.map { $0.axis.x > 0 } ?? false }
    package var isUpsideDown: Bool { square != nil && !isUpright }
}

package enum MeshPresence {
    /// 99.9 % of correct fits have a presence above 0.87, and 1.5 % of background crops are above this threshold.
    package static let threshold = 0.5
    package static let trusted = 0.5

    /// The score that keeps a face without a mesh, such as a full profile. Of the detections without a mesh in labelled
    /// films and pictures, 27 of 34 that score 0.5 to 0.65 are faces, and 11 of 28 that score 0.4 to 0.5. The mesh
    /// cannot tell small faces from other things: of the detections under 32 px that score 0.3 to 0.4, 7 of 15 with a
    /// mesh are faces, and 15 of 43 without one. A lower `minimumConfidence` asks for uncertain faces too; `side` is
    /// the box's longer one.
    package static func trustedConfidence(minimumConfidence: Double, side: Double) -> Double {
        if side < smallSide { return min(minimumConfidence, trusted) }
        return minimumConfidence <= 0.4 ? 0.4 : trusted
    }

    package static let smallSide = 32.0

    /// The score with which a face is tracked, higher where the mesh confirms it: masks, hands and close crops lower
    /// only the detector's. In 60 pictures of WIDER FACE, this adds 15 faces, 13 of them labelled; in five films, none.
    package static func confirmed(_ score: Double, presence: Double?) -> Double {
        let presence = presence ?? 0
        return presence > 0.999 || score >= 0.5 && presence > 0.9 ? max(score, 0.7) : score
    }
}
