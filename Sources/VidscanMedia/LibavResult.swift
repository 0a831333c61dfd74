internal import CFFmpeg

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

    static func timestamp(_ value: Int64) -> Int64? { value == noTimestamp ? nil : value }
}
