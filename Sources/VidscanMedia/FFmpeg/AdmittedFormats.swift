/// The file formats that are read, by the names of FFmpeg's demuxers.
///
/// Each of them reads nothing but the bytes of its file. A demuxer that is not listed may open others by itself, as that of
/// VobSub does, and libavformat has no common way to prevent it.
enum AdmittedFormats {
    /// For libavformat, which checks demuxers that other demuxers use against it.
    static var list: String { names.sorted().joined(separator: ",") }

    /// - Parameter names: of one demuxer, separated by commas.
    static func contains(_ names: String) -> Bool { intersects(Self.names, names) }

    /// Whether a demuxer reads a list of other files.
    static func isPlaylist(_ names: String) -> Bool { intersects(playlists, names) }

    private static func intersects(_ set: Set<String>, _ names: String) -> Bool {
        names.split(separator: ",").contains { set.contains(String($0)) }
    }

    private static let names: Set<String> = containers.union(streams).union(pictures)

    private static let containers: Set<String> = [
        "asf", "avi", "dhav", "dv", "flv", "gxf", "ivf", "matroska", "mov", "mpeg", "mpegts", "mxf", "nut", "obu",
        "ogg", "rm",
        "webm", "wtv",
    ]

    /// Video without a container.
    private static let streams: Set<String> = [
        "av1", "cavsvideo", "dirac", "h261", "h263", "h264", "hevc", "m4v", "mjpeg", "mpegvideo", "mpjpeg", "vc1",
        "vvc",
        "yuv4mpegpipe",
    ]

    private static let pictures: Set<String> = [
        "apng", "bmp_pipe", "dpx_pipe", "exr_pipe", "gif", "gif_pipe", "hdr_pipe", "j2k_pipe", "jpeg_pipe",
        "jpegls_pipe",
        "jpegxl_anim", "jpegxl_pipe", "pam_pipe", "pbm_pipe", "pfm_pipe", "pgm_pipe", "pgmyuv_pipe", "png_pipe",
        "ppm_pipe",
        "psd_pipe", "qoi_pipe", "sgi_pipe", "tiff_pipe", "webp_pipe",
    ]

    private static let playlists: Set<String> = [
        "applehttp", "concat", "dash", "hls", "imf", "rtsp", "sdp", "webm_dash_manifest",
    ]
}
