public import VidscanFaces

/// What is drawn on a face, and how large.
public struct OverlayStyle: Sendable, Equatable {
    public enum Element: String, Sendable, CaseIterable {
        /// The face's box.
        case box
        /// Its `face_id`, on a label above the box.
        case id
        /// The likeliest emotion and its score, on the label, if one is likely. Only emotions that agree with human labels
        /// count.
        case emotion
        /// The likeliest emoji, on the label, if one is likely.
        case emoji
        /// Metrics as bars beside the box.
        case bars
        /// Rings around the eyes, a line between the mouth's corners, a dot on the nose.
        case points
        /// The mesh's 478 points, outlines and irises; needs `landmarks.npy`.
        case mesh
        /// The head's own axes at the nose: red to its left, green up, blue forward.
        case axes
        /// Where the face has been.
        case trail
    }

    /// A named choice of elements.
    public enum Preset: String, Sendable, CaseIterable {
        case plain, standard, mesh, full

        public var elements: Set<Element> {
            switch self {
            case .plain: [.box, .id]
            case .standard: [.box, .id, .emotion, .bars, .points]
            case .mesh: [.id, .mesh, .axes]
            case .full: Set(Element.allCases)
            }
        }
    }

    public var elements: Set<Element>
    /// Shown as bars, in this order; blank ones are left out.
    public var bars: [Metric]
    /// The length of a trail.
    public var trailSeconds: Double
    /// Size of lines and text, relative to what suits the picture.
    public var scale: Double

    public init(
        elements: Set<Element> = Preset.standard.elements, bars: [Metric] = [.smile, .engagement, .attention],
        trailSeconds: Double = 2, scale: Double = 1
    ) {
        self.elements = elements
        self.bars = bars
        self.trailSeconds = trailSeconds
        self.scale = scale
    }
}
