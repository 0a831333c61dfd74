package import VidscanBase
package import VidscanFaces
package import VidscanMedia

package struct RenderOptions: Sendable, Equatable {
    package var codec: VideoCodec = .h264
    /// The constant rate factor: lower is better and larger. `nil` is the codec's default (23 for H.264).
    package var rateFactor: Double?
    /// In pixels, even. `nil` keeps the height of the upright frame.
    package var height: Int?
    /// Bit for bit.
    package var copiesAudio = true
    /// Matters only if faces are hidden; otherwise, subtitles are always copied.
    package var keepsSubtitles = false
    /// `nil` draws nothing.
    package var overlay: OverlayStyle?
    package var sticker: StickerOptions?
    package var anonymize: AnonymizeOptions?
    /// Accepts a source whose size or modification time changed since the analysis.
    package var acceptsChangedSource = false
    package private(set) var isProxy = false
    package var limits = MediaLimits()

    package init() {}

    /// The same with the covers beside a result, unless others are named.
    package func withCovers(beside result: String, output: String? = nil) throws(VidscanError) -> Self {
        var options = self
        if let hiding = anonymize, hiding.covers == nil {
            options.anonymize?.covers = try CoverFile.path(beside: result, output: output)
        }
        return options
    }

    /// The shorter side in pixels.
    package static let proxySide = 540

    /// For browsers: small H.264 in MP4, same frames and times, nothing drawn, no subtitles, audio if MP4 can hold it.
    package static var proxy: RenderOptions {
        var options = RenderOptions()
        options.isProxy = true
        return options
    }

    package var needsLandmarks: Bool { overlay?.elements.contains(.mesh) == true || anonymize?.shape == .mesh }

    /// Subtitles may contain names.
    package var copiesSubtitles: Bool { !isProxy && (anonymize == nil || keepsSubtitles) }

    /// In the result folder, without its extension.
    package var name: String {
        guard !isProxy else { return "proxy" }
        guard let anonymize else { return "overlay" }
        // All faces may be visible in it.
        return anonymize.isInverted ? "inverted" : "anonymized"
    }
}

package struct OverlayStyle: Sendable, Equatable {
    package enum Element: String, Sendable, CaseIterable {
        case box
        /// On a label above the box: the `face_id`; if likely, an emotion that agrees with human labels, or an emoji.
        case id, emotion, emoji
        /// Metrics, beside the box.
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

    package enum Preset: String, Sendable, CaseIterable {
        case plain, standard, mesh, full

        package var elements: Set<Element> {
            switch self {
            case .plain: [.box, .id]
            case .standard: [.box, .id, .emotion, .bars, .points]
            case .mesh: [.id, .mesh, .axes]
            case .full: Set(Element.allCases)
            }
        }
    }

    package var elements: Set<Element>
    /// In this order. Metrics without a value are left out.
    package var bars: [Metric] = [.smile, .engagement, .attention]
    package var trailSeconds = 2.0
    /// Of lines and text, relative to the default for the frame and the face.
    package var scale = 1.0

    package init(elements: Set<Element> = Preset.standard.elements) { self.elements = elements }
}

/// An image on every face that rotates with the head and scales with the face.
package struct StickerOptions: Sendable, Equatable {
    package enum Place: String, Sendable, CaseIterable {
        /// `eyes`: across both, like glasses; `mustache`: between the nose and the mouth.
        case face, eyes, mustache
    }

    /// How an image is scaled to a region with another aspect ratio.
    package enum ContentMode: String, Sendable, CaseIterable {
        /// Fills the region and distorts the image.
        case stretch
        /// The largest size that fits into the region.
        case fit
        /// The smallest size that covers the region; the image is cropped.
        case fill
        /// One pixel of the image is one pixel of the frame.
        case none
    }

    /// How an image with another aspect ratio is aligned in the region.
    package enum Anchor: String, Sendable, CaseIterable {
        case center, top, bottom, left, right
        case topLeft = "top-left", topRight = "top-right", bottomLeft = "bottom-left", bottomRight = "bottom-right"

        /// The fractions of the free space left of and above the image.
        package var fractions: (x: Double, y: Double) {
            (
                rawValue.hasSuffix("left") ? 0 : rawValue.hasSuffix("right") ? 1 : 0.5,
                rawValue.hasPrefix("top") ? 0 : rawValue.hasPrefix("bottom") ? 1 : 0.5
            )
        }
    }

    /// The image's borders in its own pixels. Corners keep their shape, edges are stretched, the middle fills the rest.
    package struct CapInsets: Sendable, Equatable {
        package var left, top, right, bottom: Int

        package init(left: Int, top: Int, right: Int, bottom: Int) {
            (self.left, self.top, self.right, self.bottom) = (left, top, right, bottom)
        }
    }

    /// PNG, or any other format that FFmpeg reads.
    package var path: String
    package var place = Place.face, contentMode = ContentMode.fit, anchor = Anchor.center
    /// If set, the image is drawn in nine pieces and `contentMode` is ignored.
    package var capInsets: CapInsets?
    package var scale = 1.0

    package init(path: String) { self.path = path }
}

package struct AnonymizeOptions: Sendable, Equatable {
    package enum Method: String, Sendable, CaseIterable {
        /// `sticker`: on a solid background.
        case blur, pixelate, solid, sticker
    }

    package enum Shape: String, Sendable, CaseIterable {
        /// `mesh`: the outline of the mesh, or the ellipse if a face has no mesh. Needs `landmarks.npy`.
        case ellipse, rectangle, mesh
    }

    package var method: Method
    package var shape = Shape.ellipse
    /// How far the shape extends beyond the face on every side, as a fraction of the face's size.
    package var margin = 0.35
    /// For blur and pixelate: the fraction of the face's shorter side that is averaged to one value. `nil` is 0.5 and
    /// 0.3: a face becomes 2×3 or 3×4 values. A blur of 0.25 hides the identity, but a detector still finds the face.
    package var strength: Double?
    /// Before the first and after the last detection of a face, in seconds.
    package var holdSeconds = 0.5
    /// Hides everything except the faces.
    package var isInverted = false
    /// If everything except the faces is hidden and nobody is named, all faces stay visible.
    package var visible = FaceChoice()
    /// The path of a `CoverFile`.
    package var covers: String?

    /// In both passes. With several threads, the content of damaged frames may depend on timing if keyframes are very rare.
    package static let decoderThreads = 1

    package init(method: Method) { self.method = method }

    package var resolvedStrength: Double { strength ?? (method == .blur ? 0.5 : 0.3) }
}

/// The least thorough analysis after which faces can be hidden: every frame, with small and unsure faces, not smoothed.
package enum AnonymizeRequirements {
    package static let rate = SampleGrid.Rate.everyFrame
    package static let accuracy = DetectorAccuracy.high, faces = FaceSize.small, confidence = 0.3
    package static let stride = 1, trackSamples = 1

    /// Holding and bridging faces from frame to frame requires one frame size.
    package static func checkSize(
        _ size: PictureSize, first: PictureSize, microseconds: Int64, stage: VidscanError.Stage
    ) throws(VidscanError) {
        try require(
            size == first, .media(.undecodable),
            "the picture changes from \(first) to \(size), and faces are hidden in pictures of one size only; bring the"
                + " video to one size first, or cut it here", stage: stage, microseconds: microseconds)
    }
}

/// Who stays visible when faces are hidden, by numbers of the result. A person who stays visible is hidden nevertheless
/// wherever the face might be somebody else's; see `CertaintySearch`.
package struct FaceChoice: Sendable, Equatable {
    package enum People: Sendable, Equatable {
        case nobody
        case only(Set<Int>)
        case allBut(Set<Int>)
    }

    package var people = People.nobody
    /// These face_ids stay visible too. Nothing verifies who they are.
    package var keptFaces: Set<Int> = []
    /// These face_ids are hidden in any case.
    package var hiddenFaces: Set<Int> = []

    package init() {}

    package var keepsSomebody: Bool { people != .nobody || !keptFaces.isEmpty }

    package var namedPeople: Set<Int> {
        switch people {
        case .nobody: []
        case .only(let people), .allBut(let people): people
        }
    }

    package func keeps(person: Int) -> Bool {
        switch people {
        case .nobody: false
        case .only(let people): people.contains(person)
        case .allBut(let people): !people.contains(person)
        }
    }
}
