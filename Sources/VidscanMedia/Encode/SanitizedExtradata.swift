internal import CFFmpeg

/// The part of the extradata (codec header) of subtitles that a player needs, without titles, comments and other metadata.
///
/// Only the listed codecs are supported, because any other codec may store metadata in its extradata.
enum SanitizedExtradata {
    /// - Returns: `nil` for a codec whose extradata cannot be sanitized.
    static func bytes(of parameters: AVCodecParameters) -> [UInt8]? {
        let size = max(0, Int(parameters.extradata_size))
        let header = parameters.extradata.map { Array(UnsafeBufferPointer(start: $0, count: size)) } ?? []
        return bytes(of: parameters.codec_id, header: header)
    }

    private static func bytes(of codec: AVCodecID, header: [UInt8]) -> [UInt8]? {
        switch codec {
        case AV_CODEC_ID_SUBRIP, AV_CODEC_ID_TEXT, AV_CODEC_ID_WEBVTT, AV_CODEC_ID_HDMV_PGS_SUBTITLE: return []
        case AV_CODEC_ID_DVB_SUBTITLE: return Array(header.prefix(5))
        case AV_CODEC_ID_MOV_TEXT: return plainTextStyle
        case AV_CODEC_ID_ASS, AV_CODEC_ID_SSA: return styles(header)
        default: return nil
        }
    }

    /// A default sample description of 3GPP timed text (TS 26.245, 5.16).
    private static let plainTextStyle: [UInt8] =
        [0, 0, 0, 0, 1, 255, 0, 0, 0, 0] + [0, 0, 0, 0, 0, 0, 0, 0]
        + [0, 0, 0, 0, 0, 1, 0, 18, 255, 255, 255, 255]
        + [0, 0, 0, 18] + Array("ftab".utf8) + [0, 1, 0, 1, 5] + Array("Serif".utf8)

    /// The styles and the line format of subtitles, without title, authors, fonts and pictures.
    private static func styles(_ header: [UInt8]) -> [UInt8] {
        let kept = [
            "[Script Info]", "ScriptType:", "PlayResX:", "PlayResY:", "WrapStyle:", "ScaledBorderAndShadow:",
            "[V4 Styles]", "[V4+ Styles]", "Style:", "[Events]", "Format:",
        ]
        let lines = String(decoding: header, as: UTF8.self).split(whereSeparator: \.isNewline).filter { line in
            kept.contains { line.hasPrefix($0) }
        }
        return Array(lines.joined(separator: "\n").utf8) + [10]
    }
}
