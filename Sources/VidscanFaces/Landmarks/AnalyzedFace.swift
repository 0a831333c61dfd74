internal import VidscanBase

/// The measurements of one face in one frame.
package struct AnalyzedFace: Sendable {
    package var detection: FaceDetection
    /// The probability, 0…1, that the mesh model assigns to the face; 0 if the model did not run.
    package var presence: Double
    /// The mesh; `nil` if none fits, in which case `pose`, `quality`, `expressions` and `shape` are `nil` as well.
    package var mesh: FaceMesh?
    package var pose: HeadPose?
    package var quality: PictureQuality?
    /// The expressions, or the openness of one eye if the face is turned too far for more; `nil` also if the face is too
    /// small, or if none are requested.
    package var expressions: FaceExpressions?
    /// The appearance of the face and its surroundings.
    package var appearance: AppearanceDescriptor?
    /// The shape of the face, if it is frontal and large enough.
    package var shape: [Float]?
    /// The picture from which the face's embedding can be computed; only in a few samples.
    package var chip: FaceChip?

    package init(
        detection: FaceDetection, presence: Double, mesh: FaceMesh? = nil, pose: HeadPose? = nil,
        quality: PictureQuality? = nil, expressions: FaceExpressions? = nil, appearance: AppearanceDescriptor? = nil,
        shape: [Float]? = nil
    ) {
        self.detection = detection
        self.presence = presence
        self.mesh = mesh
        self.pose = pose
        self.quality = quality
        self.expressions = expressions
        self.appearance = appearance
        self.shape = shape
    }
}
