/// Why a media file, or a part of it, could not be read.
public struct MediaError: Error, Sendable, Equatable {
    public enum Code: String, Sendable {
        case notFound = "not-found"
        case notAFile = "not-a-file"
        case notMedia = "not-media"
        case refersElsewhere = "refers-elsewhere"
        case noVideo = "no-video"
        case noSuchStream = "no-such-stream"
        case unsupportedCodec = "unsupported-codec"
        case limitExceeded = "limit-exceeded"
        case undecodable = "undecodable"
        /// It is not known how long the video is.
        case noDuration = "no-duration"
        /// A filter chain that cannot be built, is not allowed, or failed.
        case filter = "filter"
        case io = "io"
        /// The disk, or what the user may have of it, is full.
        case diskFull = "disk-full"
        case cancelled = "cancelled"
    }

    public let code: Code
    /// What failed and why, in words; it does not name the file.
    public let reason: String
    /// Where in the video, in microseconds on its clock, if it was under way.
    public let microseconds: Int64?

    public init(_ code: Code, _ reason: String, microseconds: Int64? = nil) {
        self.code = code
        self.reason = reason
        self.microseconds = microseconds
    }
}

extension MediaError {
    static func pictureTooLarge(_ width: Int, _ height: Int, limit: Int) -> MediaError {
        MediaError(
            .limitExceeded,
            "its picture of \(width)x\(height) is over the limit of \(limit) pixels (--max-pixels raises it)")
    }
}

extension MediaError: CustomStringConvertible {
    public var description: String { reason }
}
