internal import Glibc

/// The reason why an operation failed, as one readable line.
public struct VidscanError: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Code: Sendable, Equatable {
        /// The input cannot be read as a video.
        case media(MediaErrorCode)
        /// A model or the inference runtime failed.
        case inference
        /// A result cannot be written, for another reason than `diskFull`.
        case output
        /// No result can be written because the disk or the user's quota is full.
        case diskFull
        /// A file or folder that must not be replaced exists at the path of the output.
        case exists
        /// A folder is not a result, or a result is incomplete or damaged.
        case result
        /// The video is not the one that was analysed.
        case changed
        /// Something that vidscan needs is not installed, or does not start.
        case setup
        /// The command line, or a file or folder that it names, is contradictory or unusable.
        case input
        /// The user or the caller cancelled the work.
        case interrupted
    }

    public enum Stage: String, Sendable { case open, decode, analyze, write, render }

    public let code: Code
    /// The input, as the user named it.
    public let input: String?
    public let stage: Stage?
    /// The position in the video.
    public let microseconds: Int64?
    /// What happened, and what to do about it.
    public let reason: String

    public init(_ code: Code, _ reason: String, input: String? = nil, stage: Stage? = nil, microseconds: Int64? = nil) {
        // Files of an unfinished result are opened through the descriptor of its folder.
        self.reason = reason.replacing(/\/proc\/self\/fd\/\d+\//, with: "")
        (self.code, self.input, self.stage, self.microseconds) = (code, input, stage, microseconds)
    }

    /// One line, for example `movie.mp4: at 12.480 s: cannot write faces.csv: No space left on device`.
    public var description: String {
        let position = stage == .open ? nil : microseconds.map { "at \(TimeText.seconds($0)) s" }
        return [input, position, reason].compactMap { $0 }.joined(separator: ": ")
    }

    /// Returns the error with an input, unless it names one.
    package func naming(_ input: String) -> Self {
        Self(code, reason, input: self.input ?? input, stage: stage, microseconds: microseconds)
    }

    package static func input(_ reason: String) -> Self { Self(.input, reason) }

    /// - Parameter action: The beginning of the reason, for example `cannot write faces.csv`.
    package static func writing(_ action: String, _ error: SystemError, stage: Stage = .write) -> Self {
        Self(error.isFullDisk ? .diskFull : .output, "\(action): \(error)", stage: stage)
    }

    /// Runs a part of writing, and throws `writing` with its error.
    package static func writing<Value>(
        _ action: String, stage: Stage = .write, _ work: @autoclosure () throws(SystemError) -> Value
    ) throws(VidscanError) -> Value {
        do throws(SystemError) { return try work() } catch { throw .writing(action, error, stage: stage) }
    }
}

/// Throws unless a condition holds. The stage of an error in a result is `open`.
package func require(
    _ holds: Bool, _ code: VidscanError.Code, _ reason: @autoclosure () -> String, input: String? = nil,
    stage: VidscanError.Stage? = nil, microseconds: Int64? = nil
) throws(VidscanError) {
    guard !holds else { return }
    let stage = stage ?? (code == .result ? .open : nil)
    throw VidscanError(code, reason(), input: input, stage: stage, microseconds: microseconds)
}

package struct SystemError: Error, Sendable, Equatable, CustomStringConvertible {
    package let number: Int32

    package init(_ number: Int32) { self.number = number }

    package static var current: SystemError { SystemError(errno) }

    /// Returns the result of a call, and throws the current error if it is negative.
    @discardableResult package static func check(_ result: Int32) throws(SystemError) -> Int32 {
        guard result >= 0 else { throw .current }
        return result
    }

    /// Has no number of the system.
    package static let notRegularFile = SystemError(-1)

    package var isFullDisk: Bool { number == ENOSPC || number == EDQUOT }

    package var description: String {
        self == .notRegularFile ? "it is not a regular file" : String(cString: strerror(number))
    }
}

/// The reason why a media file cannot be read or written.
public enum MediaErrorCode: String, Sendable {
    case notFound = "not-found", notAFile = "not-a-file", notMedia = "not-media", refersElsewhere = "refers-elsewhere"
    case noVideo = "no-video", noSuchStream = "no-such-stream", unsupportedCodec = "unsupported-codec"
    case limitExceeded = "limit-exceeded", undecodable, noDuration = "no-duration"
    /// A filter chain cannot be built, is not permitted or failed.
    case filter
    case io, diskFull = "disk-full", cancelled
}
