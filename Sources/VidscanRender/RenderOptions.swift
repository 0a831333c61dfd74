public import VidscanMedia

/// Everything that rendering a video can be told, with its defaults.
public struct RenderOptions: Sendable, Equatable {
    public var codec: VideoCodec = .h264
    /// Constant rate factor; `nil` takes the codec's default (23 for H.264). Less is better and larger.
    public var rateFactor: Double?
    /// Of the new video in pixels, even; `nil` keeps that of the upright picture.
    public var height: Int?
    /// Copy sound, bit for bit.
    public var copiesAudio = true
    /// Copy subtitles though faces are hidden; otherwise they are always copied.
    public var keepsSubtitles = false
    /// Copy what the file says of itself: titles, dates, places. `nil` does so unless faces are hidden.
    public var keepsMetadata: Bool?
    /// What is drawn on each face; `nil` draws nothing.
    public var overlay: OverlayStyle?
    public var sticker: StickerOptions?
    /// `nil` hides nothing.
    public var anonymize: AnonymizeOptions?
    /// Take a source that is not the file that was analysed, by its size and date.
    public var acceptsChangedSource = false
    public var limits = MediaLimits()

    public init() {}

    /// Draws from the mesh's points, so the result must have `landmarks.npy`.
    public var needsLandmarks: Bool {
        overlay?.elements.contains(.mesh) == true || anonymize?.shape == .mesh
    }

    /// What people say or are called may be in them.
    package var copiesSubtitles: Bool { anonymize == nil || keepsSubtitles }

    /// The file's name, without extension, in the result's folder.
    package var name: String { anonymize == nil ? "overlay" : "anonymized" }
}
