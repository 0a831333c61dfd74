internal import CFFmpeg
internal import VidscanBase

/// Removes what a source says about itself beside its frames and its sound: locations, timecodes, names. Captions count
/// as subtitles.
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

    /// Replaces the extradata of a copied stream with what a player needs of it.
    ///
    /// - Throws: `MediaError` for a codec whose extradata cannot be sanitized.
    static func strip(_ parameters: UnsafeMutablePointer<AVCodecParameters>) throws(MediaError) {
        guard let extradata = SanitizedExtradata.bytes(of: parameters.pointee) else {
            throw MediaError(.unsupportedCodec, "cannot remove the metadata from the codec header of a copied stream")
        }
        av_free(parameters.pointee.extradata)
        parameters.pointee.extradata = nil
        parameters.pointee.extradata_size = 0
        vs_remove_coded_side_data(parameters)
        guard !extradata.isEmpty else { return }
        guard let memory = av_mallocz(extradata.count + Int(AV_INPUT_BUFFER_PADDING_SIZE)) else { throw .outOfMemory }
        memory.copyMemory(from: extradata, byteCount: extradata.count)
        parameters.pointee.extradata = memory.assumingMemoryBound(to: UInt8.self)
        parameters.pointee.extradata_size = Int32(extradata.count)
    }

    /// Removes tags and side data from a copied packet. The samples to skip are kept, and coded sound does not change.
    ///
    /// - Returns: `false` when nothing is left to play.
    static func strip(_ packet: borrowing Packet, codec: AVCodecID) throws(MediaError) -> Bool {
        try stripSideData(from: packet)
        switch codec {
        case AV_CODEC_ID_AAC: return try replaceData(of: packet, AACSanitizer.sanitized(packet:))
        case AV_CODEC_ID_MP1, AV_CODEC_ID_MP2, AV_CODEC_ID_MP3:
            return try replaceData(of: packet, MPEGAudioFrame.frames)
        default: return packet.size > 0
        }
    }

    private static func stripSideData(from packet: borrowing Packet) throws(MediaError) {
        guard packet.side_data_elems > 0 else { return }
        var size = 0
        let skipped = av_packet_get_side_data(packet.pointer, AV_PKT_DATA_SKIP_SAMPLES, &size).map {
            Array(UnsafeBufferPointer(start: $0, count: size))
        }
        av_packet_free_side_data(packet.pointer)
        guard let skipped, skipped.count == 10 else { return }
        guard let memory = av_packet_new_side_data(packet.pointer, AV_PKT_DATA_SKIP_SAMPLES, skipped.count) else {
            throw .outOfMemory
        }
        memory.update(from: skipped, count: skipped.count)
    }

    private static func replaceData(
        of packet: borrowing Packet, _ sanitize: ([UInt8]) -> [UInt8]
    ) throws(MediaError) -> Bool {
        let old = Array(packet.bytes)
        let new = sanitize(old)
        guard !new.isEmpty else { return false }
        guard new != old else { return true }
        guard av_packet_make_writable(packet.pointer) >= 0 else { throw .outOfMemory }
        packet.data?.update(from: new, count: new.count)
        av_shrink_packet(packet.pointer, Int32(new.count))
        return true
    }
}
