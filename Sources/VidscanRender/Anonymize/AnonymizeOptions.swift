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
        /// The outline of the mesh; where there is none, the ellipse. Needs `landmarks.npy`.
        case mesh
    }

    public var method: Method
    public var shape = Shape.ellipse
    /// The shape is larger than the face by this share on every side.
    public var margin = 0.35
    /// Of blur and pixels: how much of the face's shorter side becomes one value, however large the face is. `nil` is 0.5
    /// for blur and 0.3 for pixels: two by three values, or three by four, are left of a face. A blur of 0.25 hides who it
    /// is, but a detector still sees that it is a face.
    public var strength: Double?
    /// How long a face is hidden before it is first seen and after it was last seen, in seconds.
    public var holdSeconds = 0.5
    /// Hide everything but the faces.
    public var isInverted = false
    /// Hide these ids only; `nil` all.
    public var only: Set<Int>?
    /// Leave these ids as they are.
    public var except: Set<Int> = []

    /// Of both passes over the video. With several, what becomes of damaged pictures may depend on their race.
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
