public import VidscanFaces
public import VidscanMedia
public import VidscanRender

/// What is made of a result besides its tables: a video, as far as a pipeline can say it.
public struct RenderSettings: Sendable, Equatable {
    /// Draw faces in the standard style, unless another one is said.
    public var overlay = false
    public var style: OverlayStyle.Preset?
    /// Takes the place of the style's elements.
    public var show: [OverlayStyle.Element]?
    public var bars: [Metric] = OverlayStyle().bars
    public var trailSeconds = OverlayStyle().trailSeconds
    public var drawScale = 1.0
    /// Path of the image; `nil` puts none on faces.
    public var sticker: String?
    public var stickerPlace = StickerOptions.Place.face
    public var stickerMode = StickerOptions.ContentMode.fit
    public var stickerAnchor = StickerOptions.Anchor.center
    public var stickerInsets: StickerOptions.CapInsets?
    public var stickerScale = 1.0
    /// `nil` hides nothing.
    public var anonymize: AnonymizeOptions.Method?
    public var shape = AnonymizeOptions.Shape.ellipse
    public var margin = AnonymizeOptions(method: .blur).margin
    public var strength: Double?
    public var holdSeconds = AnonymizeOptions(method: .blur).holdSeconds
    public var inverts = false
    /// Though faces are hidden.
    public var keepsSubtitles = false
    public var codec = VideoCodec.h264
    public var rateFactor: Double?
    public var height: Int?
    public var copiesAudio = true

    public init() {}

    /// - Parameter isAskedFor: there is to be a video even if nothing here says so.
    /// - Returns: `nil` when no video is asked for.
    public func options(isAskedFor: Bool = false) -> RenderOptions? {
        let draws = overlay || style != nil || show != nil
        guard isAskedFor || draws || sticker != nil || anonymize != nil else { return nil }
        var options = RenderOptions()
        options.anonymize = anonymize.map { method in
            var hiding = AnonymizeOptions(method: method)
            hiding.shape = shape
            hiding.margin = margin
            hiding.strength = strength
            hiding.holdSeconds = holdSeconds
            hiding.isInverted = inverts
            return hiding
        }
        options.sticker = sticker.map { path in
            var image = StickerOptions(path: path)
            image.place = stickerPlace
            image.contentMode = stickerMode
            image.anchor = stickerAnchor
            image.capInsets = stickerInsets
            image.scale = stickerScale
            return image
        }
        // Who hides faces or puts stickers on them wants no boxes too, unless they are asked for.
        if draws || (anonymize == nil && sticker == nil) {
            let elements = show.map { Set($0) } ?? (style ?? .standard).elements
            options.overlay = OverlayStyle(
                elements: elements, bars: bars, trailSeconds: trailSeconds, scale: drawScale)
        }
        options.codec = codec
        options.rateFactor = rateFactor
        options.height = height
        options.copiesAudio = copiesAudio
        options.keepsSubtitles = keepsSubtitles
        return options
    }
}

/// Whether a page is made of a result, and with what.
public struct ReportSettings: Sendable, Equatable {
    public var isWanted = false
    /// `nil`: unless faces were hidden.
    public var hasThumbnails: Bool?
}
