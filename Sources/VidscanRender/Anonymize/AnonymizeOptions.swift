package import VidscanBase
package import VidscanFaces

/// How faces are hidden.
public struct AnonymizeOptions: Sendable, Equatable {
    /// What covers a face.
    public enum Method: String, Sendable, CaseIterable {
        case blur, pixelate, solid
        /// The sticker, on a solid background.
        case sticker
    }

    /// The shape of the hidden area.
    public enum Shape: String, Sendable, CaseIterable {
        /// An ellipse around the face's box.
        case ellipse
        /// The face's box.
        case rectangle
        /// The outline of the mesh, or the ellipse if a face has no mesh. Needs `landmarks.npy`.
        case mesh
    }

    public var method: Method
    public var shape = Shape.ellipse
    /// How far the shape extends beyond the face on every side, as a share of the face's size.
    public var margin = 0.35
    /// For blur and pixelate: the share of the face's shorter side that is averaged to one value, independent of the
    /// face's size. `nil` is 0.5 for blur and 0.3 for pixelate, which reduce a face to 2×3 or 3×4 values. A blur of
    /// 0.25 hides the identity, but a detector still finds the face.
    public var strength: Double?
    /// How long a face is hidden before its first and after its last detection, in seconds.
    public var holdSeconds = 0.5
    /// Hides everything except the faces.
    public var isInverted = false
    /// Who stays visible; nobody unless it is set. If everything except the faces is hidden and nobody is named, all
    /// faces stay visible.
    public var visible = FaceChoice()

    /// The number of decoder threads in both passes over the video. With several threads, the content of damaged frames
    /// may depend on timing.
    package static let decoderThreads = 1

    public init(method: Method) {
        self.method = method
    }

    /// The strength, with the default of the method if none is set.
    var resolvedStrength: Double { strength ?? (method == .blur ? 0.5 : 0.3) }
}

/// The least thorough settings of an analysis after which faces can be hidden. Faces must be detected in every frame,
/// including small faces and those with low confidence, and their positions must not be smoothed.
package enum AnonymizeRequirements {
    /// The minimum of `sample.rate`.
    package static let rate = SampleGrid.Rate.everyFrame
    /// The minimum of `detect.accuracy`.
    package static let accuracy = DetectorAccuracy.high
    /// The minimum of `detect.faces`.
    package static let faces = FaceSize.small
    /// The maximum of `detect.min_confidence`.
    package static let confidence = 0.3
    /// `detect.stride`: faces are looked for in every sample.
    package static let stride = 1
    /// The maximum of `track.min_track`.
    package static let trackSamples = 1
}
