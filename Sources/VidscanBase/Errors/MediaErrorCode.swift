/// The reason why a media file cannot be read or written.
public enum MediaErrorCode: String, Sendable {
    case notFound = "not-found"
    case notAFile = "not-a-file"
    case notMedia = "not-media"
    case refersElsewhere = "refers-elsewhere"
    case noVideo = "no-video"
    case noSuchStream = "no-such-stream"
    case unsupportedCodec = "unsupported-codec"
    case limitExceeded = "limit-exceeded"
    case undecodable = "undecodable"
    /// The duration of the video is unknown.
    case noDuration = "no-duration"
    /// A filter chain cannot be built, is not permitted or failed.
    case filter = "filter"
    case io = "io"
    /// The disk or the user's quota is full.
    case diskFull = "disk-full"
    case cancelled = "cancelled"
}
