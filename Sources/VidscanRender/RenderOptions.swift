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
    public var limits = MediaLimits()

    public init() {}

    /// Whether the mesh is drawn or hidden, which requires a result with `landmarks.npy`.
    public var needsLandmarks: Bool {
        overlay?.elements.contains(.mesh) == true || anonymize?.shape == .mesh
    }

    /// Whether subtitles are copied. They may contain names.
    package var copiesSubtitles: Bool { anonymize == nil || keepsSubtitles }

    /// The name of the output file in the result folder, without its extension.
    package var name: String { anonymize == nil ? "overlay" : "anonymized" }
}
