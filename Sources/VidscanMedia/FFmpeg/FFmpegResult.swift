internal import CFFmpeg
internal import CFFmpegLog
internal import VidscanBase

/// Result codes, error texts and timestamps of the FFmpeg libraries.
enum FFmpeg {
    static let endOfFile = vs_averror_eof()
    static let tryAgain = vs_averror(EAGAIN)
    static let outOfMemory = vs_averror(ENOMEM)
    static let interrupted = vs_averror_exit()
    static let noTimestamp = vs_nopts()
    /// `FFERRTAG('I', 'N', 'D', 'A')`, a macro with casts.
    static let invalidData = -Int32(
        bitPattern: UInt32(UInt8(ascii: "I")) | UInt32(UInt8(ascii: "N")) << 8 | UInt32(UInt8(ascii: "D")) << 16
            | UInt32(UInt8(ascii: "A")) << 24)

    /// The library's text for a result code.
    static func message(_ code: Int32) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let base = buffer.baseAddress, av_strerror(code, base, buffer.count) == 0 else {
                return "error \(code)"
            }
            return String(cString: base)
        }
    }

    /// Starts to keep the first error that the libraries log on this thread.
    static func beginErrors() {
        vs_keep_errors()
    }

    /// Why a call failed: the error that the libraries have logged on this thread, or else the text for the result code.
    static func reason(_ code: Int32) -> String {
        let logged = String(cString: vs_kept_error())
        return logged.isEmpty ? message(code) : logged
    }

    /// The frame size that a library has refused on this thread. It logs `Picture size 60000x60000 is invalid`.
    static var refusedFrameSize: PictureSize? {
        let words = String(cString: vs_kept_error()).split(separator: " ")
        guard words.count > 2, words[0] == "Picture", words[1] == "size" else { return nil }
        let sides = words[2].split(separator: "x").compactMap { Int($0) }
        return sides.count == 2 ? PictureSize(width: sides[0], height: sides[1]) : nil
    }

    static func timestamp(_ value: Int64) -> Int64? { value == noTimestamp ? nil : value }
}

extension AVRational {
    /// `nil` unless the denominator is positive.
    var rational: Rational? { Rational(Int64(num), Int64(den)) }

    init(_ rational: Rational) {
        self.init(num: Int32(clamping: rational.numerator), den: Int32(clamping: rational.denominator))
    }
}
