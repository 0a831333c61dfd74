internal import CFFmpeg
internal import VidscanBase

/// Removes what a source says about itself beside its frames: locations, timecodes, names. Captions count as subtitles. Sound is
/// encoded again (`SoundEncoder`).
///
/// It works with allow lists: everything that is not known to be necessary for playback is removed.
enum MetadataStripper {
    /// Brightness, colours and captions.
    private static let keptFrameData: Set<UInt32> = [
        AV_FRAME_DATA_MASTERING_DISPLAY_METADATA.rawValue, AV_FRAME_DATA_CONTENT_LIGHT_LEVEL.rawValue,
        AV_FRAME_DATA_A53_CC.rawValue,
    ]

    /// Removes side data, which encoders write into the new stream, and metadata from a frame.
    static func strip(_ frame: borrowing Frame) {
        let types = (0..<Int(frame.nb_side_data)).compactMap { frame.side_data?[$0]?.pointee.type }
        for type in types where !keptFrameData.contains(type.rawValue) { frame.removeSideData(type) }
        av_dict_free(&frame.pointer.pointee.metadata)
    }

    /// Describes a copied subtitle stream anew, with what a player needs.
    ///
    /// - Throws: `MediaError` for a codec whose extradata cannot be sanitized.
    static func describe(
        _ source: AVCodecParameters, in parameters: UnsafeMutablePointer<AVCodecParameters>
    ) throws(MediaError) {
        guard let extradata = SanitizedExtradata.bytes(of: source) else {
            throw MediaError(.unsupportedCodec, "cannot remove the metadata from the codec header of a copied stream")
        }
        parameters.pointee.codec_type = source.codec_type
        parameters.pointee.codec_id = source.codec_id
        parameters.pointee.width = source.width
        parameters.pointee.height = source.height
        guard !extradata.isEmpty else { return }
        guard let memory = av_mallocz(extradata.count + Int(AV_INPUT_BUFFER_PADDING_SIZE)) else { throw .outOfMemory }
        memory.copyMemory(from: extradata, byteCount: extradata.count)
        parameters.pointee.extradata = memory.assumingMemoryBound(to: UInt8.self)
        parameters.pointee.extradata_size = Int32(extradata.count)
    }
}
