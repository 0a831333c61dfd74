/// Why metrics of a face have no value.
public enum BlankReason: Sendable, CaseIterable {
    /// Beyond the limits of yaw or pitch, or further than the mesh shows.
    case turned
    case covered, small
    /// The mesh does not fit the face: a profile, or one that is too small, too dark or blurred.
    case noMesh

    /// Says why none of `metrics` has a value. `presence` is the mesh's, 0…1, and how likely something covers the mouth or
    /// the eyes is 0…100, or `nil` if that was not judged. A face that is neither turned nor covered
    /// is too small: no other limit is left.
    public init(of metrics: [Metric], pose: HeadPose?, presence: Double, mouthCovered: Double?, eyesCovered: Double?) {
        guard let pose else {
            self = .noMesh
            return
        }
        guard let side = MeasuredSide(pose: pose, presence: presence) else {
            self = .turned
            return
        }
        let covered = FaceRegion.covered(mouth: mouthCovered, eyes: eyesCovered)
        let reasons = metrics.map {
            $0.blankReason(yaw: pose.yaw, from: side, covered: covered, isSmall: true) ?? .small
        }
        self = [.small, .covered].first(where: reasons.contains) ?? .turned
    }
}

extension Metric {
    /// Those that show what a face does and can have a value: nothing measures a tongue, and the attention is the head's.
    public static let expressive = allCases.filter {
        ![.attention, .stuckOutTongue, .stuckOutTongueWinkingEye].contains($0)
    }

    /// Says why the metric has no value in a face that is measured from `side`; `nil` if it has one. `isSmall`: whether
    /// the face is too small for the eye of one side.
    func blankReason(yaw: Double, from side: MeasuredSide, covered: FaceRegion, isSmall: Bool) -> BlankReason? {
        if !regions.isDisjoint(with: covered) { return .covered }
        if abs(yaw) > ExpressionLimits.maximumYawOfHalves, ExpressionLimits.halves.contains(self) { return .turned }
        guard side != .both else { return nil }
        let near: MeasuredSide
        switch self {
        case .leftEyeOpenness, .leftEyeClosed: near = .left
        case .rightEyeOpenness, .rightEyeClosed: near = .right
        default: return needsOneSide ? nil : .turned
        }
        return side != near ? .turned : isSmall ? .small : nil
    }
}
