public import VidscanMedia

/// Options for the content and the encoding of a rendered video.
public struct RenderOptions: Sendable, Equatable {
    public var codec: VideoCodec = .h264
    /// The constant rate factor. Lower values give a better and larger video. `nil` is the codec's default (23 for
    /// H.264).
    public var rateFactor: Double?
    /// The height of the new video in pixels, an even number. `nil` keeps the height of the upright frame.
    public var height: Int?
    /// Copies the audio bit for bit.
    public var copiesAudio = true
    /// Copies the subtitles even if faces are hidden. If no faces are hidden, subtitles are always copied.
    public var keepsSubtitles = false
    /// Copies the metadata: titles, dates, locations. `nil` copies it unless faces are hidden.
    public var keepsMetadata: Bool?
    /// What is drawn on each face; `nil` draws nothing.
    public var overlay: OverlayStyle?
    /// The image placed on each face; `nil` draws none.
    public var sticker: StickerOptions?
    /// How faces are hidden; `nil` hides none.
    public var anonymize: AnonymizeOptions?
    /// Accepts a source whose size or modification time has changed since the analysis.
    public var acceptsChangedSource = false
    /// Makes a small copy for a page: see ``proxy``.
    package private(set) var isProxy = false
    public var limits = MediaLimits()

    public init() {}

    /// The length in pixels of the shorter side of a proxy.
    package static let proxySide = 540

    /// A small copy that every browser plays: H.264 in MP4, with the same frames at the same times, on which nothing is
    /// drawn. Its shorter side has at most 540 pixels. It has no subtitles, and no audio that MP4 cannot contain.
    public static var proxy: RenderOptions {
        var options = RenderOptions()
        options.isProxy = true
        return options
    }

    /// Whether the mesh is drawn or hidden, which requires a result with `landmarks.npy`.
    public var needsLandmarks: Bool {
        overlay?.elements.contains(.mesh) == true || anonymize?.shape == .mesh
    }

    /// Whether subtitles are copied. They may contain names.
    package var copiesSubtitles: Bool { !isProxy && (anonymize == nil || keepsSubtitles) }

    /// The name of the output file in the result folder, without its extension.
    package var name: String {
        guard !isProxy else { return "proxy" }
        guard let anonymize else { return "overlay" }
        // All faces may be visible in it.
        return anonymize.isInverted ? "inverted" : "anonymized"
    }
}
