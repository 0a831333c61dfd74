internal import CFFmpeg
internal import CFFmpegLog

/// Result codes of the FFmpeg libraries.
enum Libav {
    static let endOfFile = vs_averror_eof()
    static let tryAgain = vs_averror(EAGAIN)
    static let invalidData = AVERROR_INVALIDDATA_CODE
    static let outOfMemory = vs_averror(ENOMEM)
    static let interrupted = vs_averror_exit()
    static let noTimestamp = vs_nopts()

    // FFERRTAG('I','N','D','A') and its like are macros made of casts.
    private static let AVERROR_INVALIDDATA_CODE = -Int32(
        bitPattern: UInt32(UInt8(ascii: "I")) | UInt32(UInt8(ascii: "N")) << 8 | UInt32(UInt8(ascii: "D")) << 16
            | UInt32(UInt8(ascii: "A")) << 24)

    /// The library's own words for a result code.
    static func message(_ code: Int32) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let base = buffer.baseAddress, av_strerror(code, base, buffer.count) == 0 else {
                return "error \(code)"
            }
            return String(cString: base)
        }
    }

    /// From now on the first error that libav logs on this thread is kept.
    static func beginErrors() {
        vs_keep_errors()
    }

    /// Why something failed: what libav logged on this thread, if anything, else what the result code says.
    static func reason(_ code: Int32) -> String {
        let logged = String(cString: vs_kept_error())
        return logged.isEmpty ? message(code) : logged
    }

    /// The picture size that libav refused on this thread, as it logs it: `Picture size 60000x60000 is invalid`.
    static var refusedPictureSize: (width: Int, height: Int)? {
        let words = String(cString: vs_kept_error()).split(separator: " ")
        guard words.count > 2, words[0] == "Picture", words[1] == "size" else { return nil }
        let sides = words[2].split(separator: "x").compactMap { Int($0) }
        return sides.count == 2 ? (sides[0], sides[1]) : nil
    }

    static func timestamp(_ value: Int64) -> Int64? { value == noTimestamp ? nil : value }
}
