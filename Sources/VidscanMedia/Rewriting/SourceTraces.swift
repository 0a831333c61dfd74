internal import CFFmpeg
internal import VidscanBase

/// Removes what a source says of itself beside its pictures and its sound: places, timecodes, names. Captions are subtitles,
/// and are left out with those.
///
/// Allow lists: what is not known to be needed for playing goes.
enum SourceTraces {
    /// What says how bright and in which colours a picture is shown, and captions.
    private static let keptOfFrames: Set<UInt32> = [
        AV_FRAME_DATA_MASTERING_DISPLAY_METADATA.rawValue, AV_FRAME_DATA_CONTENT_LIGHT_LEVEL.rawValue,
        AV_FRAME_DATA_A53_CC.rawValue,
    ]

    /// Removes side data, which encoders put into the new stream, and the metadata of a picture.
    static func remove(from frame: UnsafeMutablePointer<AVFrame>) {
        let types = (0..<Int(frame.pointee.nb_side_data)).compactMap { frame.pointee.side_data[$0]?.pointee.type }
        for type in types where !keptOfFrames.contains(type.rawValue) { av_frame_remove_side_data(frame, type) }
        av_dict_free(&frame.pointee.metadata)
    }

    /// Replaces a copied stream's header by what a player needs of it.
    ///
    /// - Parameter parameters: of a stream whose header can be cleaned.
    static func remove(from parameters: UnsafeMutablePointer<AVCodecParameters>) throws(MediaError) {
        guard let header = PlaybackHeader.bytes(of: parameters.pointee) else {
            throw MediaError(.unsupportedCodec, "cannot clean the header of a stream that it copies")
        }
        av_free(parameters.pointee.extradata)
        parameters.pointee.extradata = nil
        parameters.pointee.extradata_size = 0
        vs_remove_coded_side_data(parameters)
        guard !header.isEmpty else { return }
        guard let memory = av_mallocz(header.count + Int(AV_INPUT_BUFFER_PADDING_SIZE)) else {
            throw MediaError(.io, Libav.message(Libav.outOfMemory))
        }
        memory.copyMemory(from: header, byteCount: header.count)
        parameters.pointee.extradata = memory.assumingMemoryBound(to: UInt8.self)
        parameters.pointee.extradata_size = Int32(header.count)
    }

    /// Removes tags from a copied packet, and its side data but for the samples to skip. Coded sound stays as it is.
    ///
    /// - Returns: `false` when nothing is left to play.
    static func remove(from packet: UnsafeMutablePointer<AVPacket>, codec: AVCodecID) throws(MediaError) -> Bool {
        try removeSideData(from: packet)
        let content = { Array(UnsafeBufferPointer(start: packet.pointee.data, count: Int(packet.pointee.size))) }
        switch codec {
        case AV_CODEC_ID_AAC: return try replace(content(), by: AACText.erased(packet: content()), in: packet)
        case AV_CODEC_ID_MP1, AV_CODEC_ID_MP2, AV_CODEC_ID_MP3:
            return try replace(content(), by: MPEGAudioFrame.frames(in: content()), in: packet)
        default: return packet.pointee.size > 0
        }
    }

    private static func removeSideData(from packet: UnsafeMutablePointer<AVPacket>) throws(MediaError) {
        guard packet.pointee.side_data_elems > 0 else { return }
        var size = 0
        let skipped = av_packet_get_side_data(packet, AV_PKT_DATA_SKIP_SAMPLES, &size).map {
            Array(UnsafeBufferPointer(start: $0, count: size))
        }
        av_packet_free_side_data(packet)
        guard let skipped, skipped.count == 10 else { return }
        guard let memory = av_packet_new_side_data(packet, AV_PKT_DATA_SKIP_SAMPLES, skipped.count) else {
            throw MediaError(.io, Libav.message(Libav.outOfMemory))
        }
        memory.update(from: skipped, count: skipped.count)
    }

    private static func replace(
        _ old: [UInt8], by new: [UInt8], in packet: UnsafeMutablePointer<AVPacket>
    ) throws(MediaError) -> Bool {
        guard !new.isEmpty else { return false }
        guard new != old else { return true }
        let result = av_packet_make_writable(packet)
        guard result >= 0 else { throw MediaError(.io, Libav.message(result)) }
        packet.pointee.data.update(from: new, count: new.count)
        av_shrink_packet(packet, Int32(new.count))
        return true
    }
}
