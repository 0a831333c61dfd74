/// How faces are hidden.
public struct AnonymizeOptions: Sendable, Equatable {
    public enum Method: String, Sendable, CaseIterable {
        case blur, pixelate, solid
        /// The sticker, over one colour.
        case sticker
    }

    public enum Shape: String, Sendable, CaseIterable {
        /// Around the face's box.
        case ellipse
        /// The outline of the mesh, or the ellipse for faces without a mesh. Needs `landmarks.npy`.
        case mesh
    }

    public var method: Method
    public var shape = Shape.ellipse
    /// The shape is larger than the face by this share on every side.
    public var margin = 0.35
    /// For blur and pixelate: the share of the face's shorter side that becomes one value, for faces of any size. `nil` is
    /// 0.5 for blur and 0.3 for pixelate, which leave two by three or three by four values of a face. A blur of 0.25 hides
    /// the identity, but a detector still finds the face.
    public var strength: Double?
    /// How long a face is hidden before it is first seen and after it was last seen, in seconds.
    public var holdSeconds = 0.5
    /// Hide everything except the faces.
    public var isInverted = false
    /// Hide only these ids; `nil` hides all.
    public var only: Set<Int>?
    /// Do not hide these ids.
    public var except: Set<Int> = []

    /// For both passes over the video. With several threads, the content of damaged pictures may depend on timing.
    package static let decoderThreads = 1

    public init(method: Method) {
        self.method = method
    }

    /// The share that becomes one value.
    var resolvedStrength: Double { strength ?? (method == .blur ? 0.5 : 0.3) }

    package func hides(_ faceID: Int) -> Bool {
        (only?.contains(faceID) ?? true) && !except.contains(faceID)
    }
}

/// How an analysis must have looked for faces before they are hidden: in every frame, small and doubtful ones too, each
/// where it was found.
package enum AnonymizeRequirements {
    /// `sample.rate`
    package static let rate = "every-frame"
    /// `detect.faces`
    package static let faces = "small"
    /// `detect.min_confidence` must not be higher.
    package static let confidence = 0.3
    /// `track.min_track` must not be higher.
    package static let trackSamples = 1
}
