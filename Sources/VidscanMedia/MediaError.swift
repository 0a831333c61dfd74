internal import CFFmpeg
public import VidscanBase

/// Why a media file could not be read or written, or why a filter chain cannot be used.
public struct MediaError: Error, Sendable, Equatable {
    public typealias Code = MediaErrorCode

    /// What the user can do about an error. The caller knows how its users do it.
    public enum Remedy: Sendable, Equatable {
        /// Raise `MediaLimits.maximumPixels`.
        case raisePixelLimit
        /// Raise `MediaLimits.maximumDurationSeconds`.
        case raiseDurationLimit
        /// Permit filters to reach files, the network and devices.
        case permitFilters
        /// Choose one of the filters of `FilterCatalog`.
        case listFilters
        /// Choose one of the options of a filter.
        case listOptions(filter: String)
    }

    public let code: Code
    /// What failed and why, without the name of the file.
    public let reason: String
    public let remedy: Remedy?
    /// Position in the video in microseconds, if the error happened while reading or writing it.
    public let microseconds: Int64?

    public init(_ code: Code, _ reason: String, remedy: Remedy? = nil, microseconds: Int64? = nil) {
        self.code = code
        self.reason = reason
        self.remedy = remedy
        self.microseconds = microseconds
    }
}

extension MediaError {
    static var outOfMemory: MediaError { MediaError(.io, "Cannot allocate memory") }

    static var cancelled: MediaError { MediaError(.cancelled, "interrupted") }

    static func frameTooLarge(_ size: PictureSize, limit: Int) -> MediaError {
        guard size.isDecodable else {
            return MediaError(
                .limitExceeded, "a frame of \(size) is larger than FFmpeg can handle, which is about 16000x16000")
        }
        return MediaError(
            .limitExceeded, "a frame of \(size) exceeds the limit of \(limit) pixels", remedy: .raisePixelLimit)
    }
}

extension MediaError: CustomStringConvertible {
    public var description: String { reason }
}

extension PictureSize {
    /// Whether libavcodec accepts frames of this size. No limit of vidscan's can raise its own.
    var isDecodable: Bool {
        av_image_check_size(UInt32(clamping: width), UInt32(clamping: height), 0, nil) >= 0
    }
}
