internal import CFFmpeg
internal import CFFmpegFilter
internal import VidscanBase

/// The FFmpeg libraries in this process.
public enum MediaVersions {
    /// The version of FFmpeg and of each of its libraries: `5.1.9 (libavformat 59.27.100, …)`. libavfilter is among them
    /// once it is loaded.
    public static var summary: String {
        var libraries = [
            ("libavformat", avformat_version()), ("libavcodec", avcodec_version()), ("libavutil", avutil_version()),
            ("libswresample", swresample_version()), ("libswscale", swscale_version()),
        ]
        if vs_filters_are_loaded() != 0 { libraries.append(("libavfilter", avfilter_version())) }
        let list = libraries.map { "\($0) \($1 >> 16).\($1 >> 8 & 0xFF).\($1 & 0xFF)" }.joined(separator: ", ")
        return "\(String(cString: av_version_info())) (\(list))"
    }

    /// Loads libavfilter.
    ///
    /// - Throws: `MediaError` with the code `filter` and the linker's reason.
    public static func loadFilters() throws(MediaError) {
        if let reason = vs_load_filters() {
            throw MediaError(.filter, "FFmpeg's filters do not load: \(String(cString: reason)); reinstall FFmpeg")
        }
    }

    /// The codecs among `names`, in FFmpeg's spelling, for which the libraries have no decoder.
    public static func missingDecoders(of names: [String]) -> [String] {
        names.filter { name in
            guard let descriptor = avcodec_descriptor_get_by_name(name) else { return true }
            return avcodec_find_decoder(descriptor.pointee.id) == nil
        }
    }
}
