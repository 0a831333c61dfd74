/// An image to place on every face. It turns with the head and scales with the face.
public struct StickerOptions: Sendable, Equatable {
    /// The part of the face that it covers.
    public enum Place: String, Sendable, CaseIterable {
        /// The whole face's box.
        case face
        /// Across both eyes, as spectacles sit.
        case eyes
        /// Between nose and mouth.
        case mustache
    }

    /// How an image is scaled to a place of another shape.
    public enum ContentMode: String, Sendable, CaseIterable {
        /// Fills the place exactly; the image is distorted.
        case stretch
        /// As large as fits into the place.
        case fit
        /// As small as covers the place; the rest is cut off.
        case fill
        /// Not scaled: one pixel of the image for each pixel of the picture.
        case none
    }

    /// Where in its place an image of another shape is aligned.
    public enum Anchor: String, Sendable, CaseIterable {
        case center, top, bottom, left, right
        case topLeft = "top-left"
        case topRight = "top-right"
        case bottomLeft = "bottom-left"
        case bottomRight = "bottom-right"

        /// Shares of the free space to the left and above.
        package var shares: (x: Double, y: Double) {
            switch self {
            case .center: (0.5, 0.5)
            case .top: (0.5, 0)
            case .bottom: (0.5, 1)
            case .left: (0, 0.5)
            case .right: (1, 0.5)
            case .topLeft: (0, 0)
            case .topRight: (1, 0)
            case .bottomLeft: (0, 1)
            case .bottomRight: (1, 1)
            }
        }
    }

    /// The image's borders in its own pixels: its corners keep their shape, its edges are stretched along themselves
    /// only, and its middle fills the rest.
    public struct CapInsets: Sendable, Equatable {
        public var left: Int
        public var top: Int
        public var right: Int
        public var bottom: Int

        public init(left: Int, top: Int, right: Int, bottom: Int) {
            self.left = left
            self.top = top
            self.right = right
            self.bottom = bottom
        }
    }

    /// Of the image: PNG, or any format that FFmpeg reads.
    public var path: String
    public var place = Place.face
    public var contentMode = ContentMode.fit
    public var anchor = Anchor.center
    /// If set, the image is drawn in nine parts and `contentMode` is ignored.
    public var capInsets: CapInsets?
    /// Relative to the size of the place.
    public var scale = 1.0

    public init(path: String) {
        self.path = path
    }
}
