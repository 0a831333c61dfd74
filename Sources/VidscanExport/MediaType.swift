internal import VidscanBase

/// Returns the media type (RFC 6838) of a file by its extension, and by FFmpeg's name of the container if the extension says
/// nothing.
enum MediaType {
    static func of(_ path: String, format: String) -> String {
        let byFormat = format.split(separator: ",").lazy.compactMap { types[String($0)] }.first
        return types[FilePath.fileExtension(of: path)] ?? byFormat ?? "video/*"
    }

    private static let types = [
        "mp4": "video/mp4", "m4v": "video/mp4", "mov": "video/quicktime", "qt": "video/quicktime",
        "mkv": "video/x-matroska", "matroska": "video/x-matroska", "webm": "video/webm", "avi": "video/x-msvideo",
        "ts": "video/mp2t", "mts": "video/mp2t", "m2ts": "video/mp2t", "mpegts": "video/mp2t", "mpg": "video/mpeg",
        "mpeg": "video/mpeg", "wmv": "video/x-ms-wmv", "asf": "video/x-ms-asf", "flv": "video/x-flv",
        "ogv": "video/ogg", "ogg": "video/ogg", "3gp": "video/3gpp", "gif": "image/gif", "png": "image/png",
        "jpg": "image/jpeg", "jpeg": "image/jpeg",
    ]
}
