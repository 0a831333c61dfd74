public import VidscanBase

/// Why a media file, or a part of it, could not be read.
public struct MediaError: Error, Sendable, Equatable {
    public typealias Code = MediaErrorCode

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

extension VidscanError {
    /// Runs work that reads or writes media, and says in which stage of a run it failed.
    package static func media<Value>(
        stage: VidscanError.Stage, _ work: () throws(MediaError) -> Value
    ) throws(VidscanError) -> Value {
        do {
            return try work()
        } catch {
            throw VidscanError(.media(error.code), error.reason, stage: stage, microseconds: error.microseconds)
        }
    }
}
