internal import CFFmpeg

/// The FFmpeg libraries that this process runs with.
public enum MediaVersions {
    /// FFmpeg's own version and those of its libraries: `5.1.9 (libavformat 59.27.100, …)`.
    public static var summary: String {
        let parts = [
            ("libavformat", avformat_version()), ("libavcodec", avcodec_version()), ("libavutil", avutil_version()),
            ("libswscale", swscale_version()), ("libavfilter", avfilter_version()),
        ]
        let list = parts.map { "\($0) \($1 >> 16).\($1 >> 8 & 0xFF).\($1 & 0xFF)" }.joined(separator: ", ")
        return "\(String(cString: av_version_info())) (\(list))"
    }

    /// Names among `wanted` (as FFmpeg calls its codecs) for which no decoder is built in.
    public static func missingDecoders(of wanted: [String]) -> [String] {
        wanted.filter { name in
            guard let descriptor = avcodec_descriptor_get_by_name(name) else { return true }
            return avcodec_find_decoder(descriptor.pointee.id) == nil
        }
    }
}
