/// Why metrics of a face have no value. The raw value begins the name of a column.
public enum BlankReason: String, Sendable, CaseIterable {
    /// Beyond the limits of yaw or pitch, or further than the mesh shows.
    case turned
    case covered, small
    /// The mesh does not fit the face, though nothing covers it: a profile, or one that is too small, too dark or blurred.
    case noMesh = "no_mesh"

    /// Says why none of `metrics` has a value. `presence` is the mesh's, 0…1, and how likely something covers the mouth or
    /// the eyes is 0…100, or `nil` if that was not judged. A face that is neither turned nor covered is too small.
    public init(of metrics: [Metric], pose: HeadPose?, presence: Double, mouthCovered: Double?, eyesCovered: Double?) {
        let side = pose.flatMap { MeasuredSide(pose: $0, presence: presence) }
        let covered = FaceRegion.covered(mouth: mouthCovered, eyes: eyesCovered)
        guard let yaw = pose?.yaw, let side else {
            self = pose != nil ? .turned : covered.isEmpty ? .noMesh : .covered
            return
        }
        let reasons = metrics.map { $0.blankReason(yaw: yaw, from: side, covered: covered, isSmall: true) ?? .small }
        self = [.small, .covered].first(where: reasons.contains) ?? .turned
    }
}
