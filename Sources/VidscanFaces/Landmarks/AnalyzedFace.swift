internal import VidscanBase

/// One face of one frame, measured from that frame alone.
package struct AnalyzedFace: Sendable {
    package var observation: FaceDetection
    /// 0…1: how surely the mesh model sees a face.
    package var presence: Double
    /// `nil` when no mesh fits; all below are `nil` then too.
    package var mesh: FaceMesh?
    package var pose: HeadPose?
    package var quality: PictureQuality?
    /// `nil` too when the face is too small or too far turned to tell, or nothing of it is wanted.
    package var expressions: FaceExpressions?
    /// What it and its surroundings look like.
    package var appearance: AppearanceDescriptor?
    /// Its shape, where it is turned little enough and large enough to tell.
    package var shape: [Float]?

    package init(
        observation: FaceDetection, presence: Double, mesh: FaceMesh? = nil, pose: HeadPose? = nil,
        quality: PictureQuality? = nil, expressions: FaceExpressions? = nil, appearance: AppearanceDescriptor? = nil,
        shape: [Float]? = nil
    ) {
        self.observation = observation
        self.presence = presence
        self.mesh = mesh
        self.pose = pose
        self.quality = quality
        self.expressions = expressions
        self.appearance = appearance
        self.shape = shape
    }
}
