public import VidscanMedia

/// What a rendered video shows, and how it is encoded.
public struct RenderOptions: Sendable, Equatable {
    public var codec: VideoCodec = .h264
    /// Constant rate factor; `nil` is the codec's default (23 for H.264). A lower one gives a better and larger video.
    public var rateFactor: Double?
    /// Of the new video in pixels, even; `nil` keeps the height of the upright picture.
    public var height: Int?
    /// Copy the sound, bit for bit.
    public var copiesAudio = true
    /// Copy subtitles even if faces are hidden. If none are, subtitles are always copied.
    public var keepsSubtitles = false
    /// Copy metadata: titles, dates, locations. `nil` copies it unless faces are hidden.
    public var keepsMetadata: Bool?
    /// What is drawn on each face; `nil` draws nothing.
    public var overlay: OverlayStyle?
    public var sticker: StickerOptions?
    /// `nil` hides no faces.
    public var anonymize: AnonymizeOptions?
    /// Accept a source whose size or date has changed since the analysis.
    public var acceptsChangedSource = false
    public var limits = MediaLimits()

    public init() {}

    /// Whether the mesh is drawn or hidden, which takes a result with `landmarks.npy`.
    public var needsLandmarks: Bool {
        overlay?.elements.contains(.mesh) == true || anonymize?.shape == .mesh
    }

    /// Subtitles may contain names.
    package var copiesSubtitles: Bool { anonymize == nil || keepsSubtitles }

    /// The file's name, without extension, in the result's folder.
    package var name: String { anonymize == nil ? "overlay" : "anonymized" }
}
