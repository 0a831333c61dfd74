internal import CFFmpeg
package import VidscanBase

/// Why a media file could not be read or written, or a filter chain used.
package struct MediaError: Error, Sendable, Equatable, CustomStringConvertible {
    package typealias Code = MediaErrorCode

    /// The caller knows how its users apply a remedy.
    package enum Remedy: Sendable, Equatable {
        case raisePixelLimit, raiseDurationLimit, permitFilters, listFilters
        case listOptions(filter: String)
    }

    package let code: Code
    /// What failed and why, without the name of the file.
    package let reason: String
    package let remedy: Remedy?
    package var description: String { reason }

    package init(_ code: Code, _ reason: String, remedy: Remedy? = nil) {
        (self.code, self.reason, self.remedy) = (code, reason, remedy)
    }

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

extension PictureSize {
    /// libavcodec has its own limit, which vidscan's limits cannot raise.
    var isDecodable: Bool { av_image_check_size(UInt32(clamping: width), UInt32(clamping: height), 0, nil) >= 0 }
}

/// Limits on what is read from a file that may be hostile or broken.
public struct MediaLimits: Sendable, Equatable {
    /// Pixels in one frame. The default admits 8K video and the still images of every camera.
    public var maximumPixels: Int
    /// As the container announces it.
    public var maximumDurationSeconds: Double

    public init(maximumPixels: Int = 100_000_000, maximumDurationSeconds: Double = 7 * 86_400) {
        (self.maximumPixels, self.maximumDurationSeconds) = (maximumPixels, maximumDurationSeconds)
    }

    /// The limit for libavcodec, which stops a hostile file before its memory is allocated; each frame is checked exactly later.
    /// libavcodec rounds the width up to a multiple of 64, at most twice as much in frames 32 pixels wide, and 65536 rows of 64
    /// pixels in narrower ones.
    var decoderPixels: Int64 {
        let (doubled, overflows) = Int64(maximumPixels).multipliedReportingOverflow(by: 2)
        return overflows ? .max : doubled &+ min(64 * 65_536, .max - doubled)
    }
}
