internal import CFFmpeg
internal import VidscanBase

/// Removes what a source says about itself besides its frames: locations, timecodes, names. Captions count as subtitles.
/// `SoundEncoder` encodes sound again. Only what playback is known to need stays.
enum MetadataStripper {
    private static let keptFrameData = [
        AV_FRAME_DATA_MASTERING_DISPLAY_METADATA, AV_FRAME_DATA_CONTENT_LIGHT_LEVEL, AV_FRAME_DATA_A53_CC,
    ]

    static func strip(_ frame: borrowing Frame) {
        let types = (0..<Int(frame.nb_side_data)).compactMap { frame.side_data?[$0]?.pointee.type }
        for type in types where !keptFrameData.contains(type) { av_frame_remove_side_data(frame.pointer, type) }
        av_dict_free(&frame.pointer.pointee.metadata)
    }

    static func describe(
        _ source: AVCodecParameters, in parameters: UnsafeMutablePointer<AVCodecParameters>
    ) throws(MediaError) {
        guard let extradata = extradata(of: source) else {
            throw MediaError(.unsupportedCodec, "cannot remove the metadata from the codec header of a copied stream")
        }
        (parameters.pointee.codec_type, parameters.pointee.codec_id) = (source.codec_type, source.codec_id)
        (parameters.pointee.width, parameters.pointee.height) = (source.width, source.height)
        guard !extradata.isEmpty else { return }
        guard let memory = av_mallocz(extradata.count + Int(AV_INPUT_BUFFER_PADDING_SIZE)) else { throw .outOfMemory }
        memory.copyMemory(from: extradata, byteCount: extradata.count)
        parameters.pointee.extradata = memory.assumingMemoryBound(to: UInt8.self)
        parameters.pointee.extradata_size = Int32(extradata.count)
    }

    /// The part of the extradata (codec header) of subtitles that a player needs, without titles, comments and other metadata.
    /// `nil` for other codecs, because they may store metadata in it.
    static func extradata(of parameters: AVCodecParameters) -> [UInt8]? {
        let header = parameters.extradataBytes
        switch parameters.codec_id {
        case AV_CODEC_ID_SUBRIP, AV_CODEC_ID_TEXT, AV_CODEC_ID_WEBVTT, AV_CODEC_ID_HDMV_PGS_SUBTITLE: return []
        case AV_CODEC_ID_DVB_SUBTITLE: return Array(header.prefix(5))
        case AV_CODEC_ID_MOV_TEXT: return plainTextStyle
        case AV_CODEC_ID_ASS, AV_CODEC_ID_SSA: return styles(Array(header))
        default: return nil
        }
    }

    /// A default sample description of 3GPP timed text (TS 26.245, 5.16).
    private static let plainTextStyle: [UInt8] =
        [0, 0, 0, 0, 1, 255, 0, 0, 0, 0] + [0, 0, 0, 0, 0, 0, 0, 0]
        + [0, 0, 0, 0, 0, 1, 0, 18, 255, 255, 255, 255]
        + [0, 0, 0, 18] + Array("ftab".utf8) + [0, 1, 0, 1, 5] + Array("Serif".utf8)

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
