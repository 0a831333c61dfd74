internal import CCrypto
internal import CFFmpeg
internal import CFFmpegFilter
internal import CFFmpegLog
internal import Glibc
internal import VidscanBase

enum FFmpeg {
    static let endOfFile = vs_averror_eof(), tryAgain = vs_averror(EAGAIN), outOfMemory = vs_averror(ENOMEM)
    static let interrupted = vs_averror_exit(), noTimestamp = vs_nopts(), invalidData = vs_averror_invalid_data()

    /// A duration as a file has it, with which nothing overflows.
    static func plausible(duration: Int64) -> Int64 { max(0, min(duration, 1 << 40)) }

    static func message(_ code: Int32) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            let base = buffer.baseAddress.unsafelyUnwrapped
            return av_strerror(code, base, buffer.count) == 0 ? String(cString: base) : "error \(code)"
        }
    }

    /// Keeps the first error that the libraries log on this thread from now on.
    static func beginErrors() { vs_keep_errors() }

    /// The error that the libraries logged on this thread, or else the text for the result code.
    static func reason(_ code: Int32) -> String {
        let logged = String(cString: vs_kept_error())
        return logged.isEmpty ? message(code) : logged
    }

    /// Refused by a library on this thread, which logs `Picture size 60000x60000 is invalid`.
    static var refusedFrameSize: PictureSize? {
        let words = String(cString: vs_kept_error()).split(separator: " ")
        guard words.count > 2, words[0] == "Picture", words[1] == "size" else { return nil }
        let sides = words[2].split(separator: "x").compactMap { Int($0) }
        return sides.count == 2 ? PictureSize(width: sides[0], height: sides[1]) : nil
    }

    static func timestamp(_ value: Int64) -> Int64? { value == noTimestamp ? nil : value }
}

extension AVRational {
    var rational: Rational? { Rational(Int64(num), Int64(den)) }

    init(_ rational: Rational) {
        self.init(num: Int32(clamping: rational.numerator), den: Int32(clamping: rational.denominator))
    }
}

/// Owned by a container.
typealias Stream = UnsafeMutablePointer<AVStream>

extension AVStream {
    var codecType: AVMediaType { codecpar.pointee.codec_type }
    var codec: AVCodecID { codecpar.pointee.codec_id }
    var timeBase: Rational { time_base.rational ?? .one }
    /// As announced.
    var start: TimestampInBase? { FFmpeg.timestamp(start_time).map { TimestampInBase($0, timeBase) } }
    var isCover: Bool { disposition & AV_DISPOSITION_ATTACHED_PIC != 0 }
    var isVideo: Bool { codecType == AVMEDIA_TYPE_VIDEO && !isCover }
    /// Whether VP8 or VP9 has transparency, which is a video of its own in each packet.
    var isTransparent: Bool { av_dict_get(metadata, "alpha_mode", nil, 0).map { $0.pointee.value[0] == 49 } ?? false }
    /// Whether it is an audio stream of unknown sample rate, because probing found none of its packets.
    var isUnheard: Bool { codecType == AVMEDIA_TYPE_AUDIO && codecpar.pointee.sample_rate == 0 }
    var hasKnownSize: Bool { codecpar.pointee.width > 0 && codecpar.pointee.height > 0 }

    func ticks(microseconds: Int64) -> Int64 {
        av_rescale_q_rnd(microseconds, AVRational(num: 1, den: 1_000_000), time_base, AV_ROUND_NEAR_INF)
    }
}

extension AVCodecID { var name: String { String(cString: avcodec_get_name(self)) } }

extension AVPixelFormat {
    var name: String { av_get_pix_fmt_name(self).map { String(cString: $0) } ?? "unknown" }
    var descriptor: AVPixFmtDescriptor? { av_pix_fmt_desc_get(self)?.pointee }
}

extension AVPixFmtDescriptor {
    var hasAlpha: Bool { flags & UInt64(AV_PIX_FMT_FLAG_ALPHA) != 0 }
    /// R'G'B' in components, or through a palette.
    var isRGB: Bool { flags & UInt64(AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL) != 0 }
}

package enum MediaVersions {
    /// FFmpeg and its libraries: `5.1.9 (libavformat 59.27.100, …)`. libavfilter appears once it is loaded.
    package static var summary: String {
        var libraries = [
            ("libavformat", avformat_version()), ("libavcodec", avcodec_version()), ("libavutil", avutil_version()),
            ("libswresample", swresample_version()), ("libswscale", swscale_version()),
        ]
        if vs_filters_are_loaded() != 0 { libraries.append(("libavfilter", avfilter_version())) }
        let list = libraries.map { "\($0) \($1 >> 16).\($1 >> 8 & 0xFF).\($1 & 0xFF)" }.joined(separator: ", ")
        return "\(String(cString: av_version_info())) (\(list))"
    }

    package static func loadFilters() throws(MediaError) {
        if let reason = vs_load_filters() {
            throw MediaError(.filter, "cannot load FFmpeg's filters: \(String(cString: reason)); reinstall FFmpeg")
        }
    }

    package static func missingDecoders(of names: [String]) -> [String] {
        names.filter { name in
            guard let descriptor = avcodec_descriptor_get_by_name(name) else { return true }
            return avcodec_find_decoder(descriptor.pointee.id) == nil
        }
    }
}

package enum FileDigest {
    /// Throws `io` when the file cannot be read or is not a regular file, and `cancelled` when the task is.
    package static func sha256(path: String) throws(MediaError) -> String {
        do throws(SystemError) {
            let descriptor = try FileSystem.openFile(path).descriptor
            defer { close(descriptor) }
            return try digest { update throws(SystemError) in
                while case let bytes = try FileSystem.read(descriptor, limit: 0xFFFF), !bytes.isEmpty {
                    guard !Task.isCancelled else { throw SystemError(ECANCELED) }
                    update(bytes)
                }
            }
        } catch { throw error.number == ECANCELED ? .cancelled : MediaError(.io, "cannot read \(path): \(error)") }
    }

    package static func sha256(text: String) -> String { sha256(bytes: text.utf8) }
    package static func sha256(bytes: some Sequence<UInt8>) -> String { (try? digest { $0(Array(bytes)) }) ?? "" }

    private static func digest(_ read: (([UInt8]) -> Void) throws(SystemError) -> Void) throws(SystemError) -> String {
        var state = SHA256_CTX()
        SHA256_Init(&state)
        try read { SHA256_Update(&state, $0, $0.count) }
        var digest = [UInt8](repeating: 0, count: 32)
        SHA256_Final(&digest, &state)
        return hexadecimal(digest)
    }

    static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { NumberText.hexadecimal($0, digits: 2) }.joined()
    }
}
