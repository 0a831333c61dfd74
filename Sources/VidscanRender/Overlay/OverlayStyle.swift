public import VidscanFaces

/// The elements that are drawn on a face, and their size.
public struct OverlayStyle: Sendable, Equatable {
    /// An element that can be drawn.
    public enum Element: String, Sendable, CaseIterable {
        /// The face's box.
        case box
        /// The `face_id`, on a label above the box.
        case id
        /// The likeliest emotion and its score on the label, if an emotion is likely. Only emotions that agree with
        /// human labels are shown.
        case emotion
        /// The likeliest emoji on the label, if an emoji is likely.
        case emoji
        /// Metrics as bars beside the box.
        case bars
        /// Rings around the eyes, a line between the corners of the mouth, and a dot on the nose.
        case points
        /// The 478 points of the mesh, with outlines and irises. Needs `landmarks.npy`.
        case mesh
        /// The head's own axes at the nose: red points to its left, green up, blue forward.
        case axes
        /// The earlier positions of the face.
        case trail
    }

    /// A named set of elements.
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
    /// The metrics shown as bars, in this order. Metrics without a value are left out.
    public var bars: [Metric]
    /// The duration of a trail in seconds.
    public var trailSeconds: Double
    /// The size of lines and text, relative to the default size for the frame and the face.
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
