/// An image placed on every face. It rotates with the head and scales with the face.
public struct StickerOptions: Sendable, Equatable {
    /// The region of the face that the image covers.
    public enum Place: String, Sendable, CaseIterable {
        /// The whole box of the face.
        case face
        /// Across both eyes, like glasses.
        case eyes
        /// Between the nose and the mouth.
        case mustache
    }

    /// How an image is scaled to a region with another aspect ratio.
    public enum ContentMode: String, Sendable, CaseIterable {
        /// Fills the region exactly and distorts the image.
        case stretch
        /// Scales the image to the largest size that fits into the region.
        case fit
        /// Scales the image to the smallest size that covers the region, and crops it.
        case fill
        /// Does not scale the image: one pixel of the image is one pixel of the frame.
        case none
    }

    /// How an image with another aspect ratio is aligned in the region.
    public enum Anchor: String, Sendable, CaseIterable {
        case center, top, bottom, left, right
        case topLeft = "top-left"
        case topRight = "top-right"
        case bottomLeft = "bottom-left"
        case bottomRight = "bottom-right"

        /// The shares of the free space that go to the left of the image and above it.
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

    /// The widths of the image's borders in its own pixels. Corners keep their shape, edges are stretched only along
    /// their length, and the middle fills the rest.
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

    /// The path of the image: PNG, or any other format that FFmpeg reads.
    public var path: String
    public var place = Place.face
    public var contentMode = ContentMode.fit
    public var anchor = Anchor.center
    /// If set, the image is drawn in nine pieces and `contentMode` is ignored.
    public var capInsets: CapInsets?
    /// The scale relative to the size of the region.
    public var scale = 1.0

    public init(path: String) {
        self.path = path
    }
}
