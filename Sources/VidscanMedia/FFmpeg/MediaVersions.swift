internal import CFFmpeg

/// The FFmpeg libraries in this process.
public enum MediaVersions {
    /// The version of FFmpeg and of each of its libraries: `5.1.9 (libavformat 59.27.100, …)`.
    public static var summary: String {
        let libraries = [
            ("libavformat", avformat_version()), ("libavcodec", avcodec_version()), ("libavutil", avutil_version()),
            ("libswscale", swscale_version()), ("libavfilter", avfilter_version()),
        ]
        let list = libraries.map { "\($0) \($1 >> 16).\($1 >> 8 & 0xFF).\($1 & 0xFF)" }.joined(separator: ", ")
        return "\(String(cString: av_version_info())) (\(list))"
    }

    /// The codecs among `names`, in FFmpeg's spelling, for which the libraries have no decoder.
    public static func missingDecoders(of names: [String]) -> [String] {
        names.filter { name in
            guard let descriptor = avcodec_descriptor_get_by_name(name) else { return true }
            return avcodec_find_decoder(descriptor.pointee.id) == nil
        }
    }
}
