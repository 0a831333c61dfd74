internal import CFFmpeg

/// The part of a stream's extradata (its codec header) that a player needs, without titles, comments and other metadata.
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
        case AV_CODEC_ID_MP1, AV_CODEC_ID_MP2, AV_CODEC_ID_MP3, AV_CODEC_ID_AC3, AV_CODEC_ID_EAC3, AV_CODEC_ID_DTS,
            AV_CODEC_ID_MLP, AV_CODEC_ID_TRUEHD, AV_CODEC_ID_AMR_NB, AV_CODEC_ID_AMR_WB, AV_CODEC_ID_SUBRIP,
            AV_CODEC_ID_TEXT, AV_CODEC_ID_WEBVTT, AV_CODEC_ID_HDMV_PGS_SUBTITLE:
            return []
        case _ where (AV_CODEC_ID_PCM_S16LE.rawValue..<AV_CODEC_ID_ADPCM_IMA_QT.rawValue).contains(codec.rawValue):
            return []
        // ADTS frames need no extradata.
        case AV_CODEC_ID_AAC: return header.isEmpty ? [] : AACSanitizer.sanitized(configuration: header)
        // STREAMINFO. Comments and pictures may follow it.
        case AV_CODEC_ID_FLAC:
            let streamInfo = header.dropFirst(header.starts(with: "fLaC".utf8) ? 8 : 0).prefix(34)
            return streamInfo.count == 34 ? Array(streamInfo) : nil
        // The atom `alac`, without a channel layout after it.
        case AV_CODEC_ID_ALAC: return header.count >= 36 ? Array(header.prefix(36)) : nil
        case AV_CODEC_ID_OPUS: return opus(header)
        case AV_CODEC_ID_VORBIS: return vorbis(header)
        case AV_CODEC_ID_DVB_SUBTITLE: return Array(header.prefix(5))
        case AV_CODEC_ID_MOV_TEXT: return plainTextStyle
        case AV_CODEC_ID_ASS, AV_CODEC_ID_SSA: return styles(header)
        default: return nil
        }
    }

    /// The identification header (RFC 7845, 5.1).
    private static func opus(_ header: [UInt8]) -> [UInt8]? {
        guard header.count >= 19, header.starts(with: "OpusHead".utf8) else { return nil }
        let (channels, family) = (Int(header[9]), header[18])
        // Family 3, ambisonics with a matrix, would need the matrix.
        guard [0, 1, 2, 255].contains(family) else { return nil }
        let size = family == 0 ? 19 : 21 + channels
        return header.count >= size ? Array(header.prefix(size)) : nil
    }

    /// The three headers (Vorbis I, 4.2), laced as in Matroska, with empty comments.
    private static func vorbis(_ header: [UInt8]) -> [UInt8]? {
        guard header.first == 2 else { return nil }
        var rest = header.dropFirst()
        var sizes: [Int] = []
        for _ in 0..<2 {
            let full = rest.prefix { $0 == 255 }.count
            guard let last = rest.dropFirst(full).first else { return nil }
            sizes.append(255 * full + Int(last))
            rest = rest.dropFirst(full + 1)
        }
        let identification = rest.prefix(sizes[0])
        let setup = rest.dropFirst(sizes[0] + sizes[1])
        let isVorbis = { (part: ArraySlice<UInt8>, type: UInt8) in
            part.first == type && part.dropFirst().starts(with: "vorbis".utf8)
        }
        guard identification.count == 30, isVorbis(identification, 1), isVorbis(setup, 5) else { return nil }
        // No vendor, no comments, and the framing bit.
        let comments = [3] + Array("vorbis".utf8) + [0, 0, 0, 0, 0, 0, 0, 0, 1]
        return [2, UInt8(identification.count), UInt8(comments.count)] + identification + comments + setup
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
