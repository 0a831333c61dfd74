internal import CFFmpeg
internal import VidscanBase

/// Seeks to the last random access point before a time, if the container shows which frame that is.
///
/// A frame's index counts all frames before it. Therefore seeking works only in containers that list every frame (the MP4
/// and QuickTime family). In others, all packets are read, though not decoded.
struct SeekPlanner {
    let demuxer: Demuxer

    /// Where reading continues after a seek.
    struct Landing: ~Copyable {
        /// The first packet.
        let packet: Packet
        /// The number of frames that are presented before it.
        let frames: Int64
    }

    /// Seeks to a random access point that is presented before a time.
    ///
    /// - Parameter microseconds: on the stream's clock.
    /// - Returns: `nil` when reading continues at the beginning of the file.
    /// - Throws: `MediaError` when the file cannot be read.
    func seek(before microseconds: Int64) throws(MediaError) -> Landing? {
        let stream = demuxer.stream
        let count = avformat_index_get_entries_count(stream)
        guard count > 0, stream.pointee.nb_frames > 0, Int64(count) >= stream.pointee.nb_frames else { return nil }
        guard let first = avformat_index_get_entry(stream, 0)?.pointee.timestamp, isInOrder(count), !mayListFields
        else { return nil }
        // Each attempt goes back twice as far, because a listed point may not be a random access point or may lie too late.
        var margin: Int64 = 1
        var hasMoved = false
        while microseconds - margin > 0 {
            hasMoved = true
            let target = demuxer.clock.timestamp(atOrBefore: microseconds - margin)
            guard demuxer.seek(before: target) else { break }
            if let landing = try land(before: microseconds, count: count) { return landing }
            margin = max(margin * 2, 10_000_000)
        }
        if hasMoved, !demuxer.seek(before: first) {
            throw MediaError(.io, "cannot seek back to the beginning of the file")
        }
        return nil
    }

    /// Whether two entries may make one frame: in H.264 that is not known to be progressive.
    private var mayListFields: Bool {
        let parameters = demuxer.stream.pointee.codecpar.pointee
        return parameters.codec_id == AV_CODEC_ID_H264 && parameters.field_order != AV_FIELD_PROGRESSIVE
    }

    /// Whether the listed times never go back. Where they jump, a time does not identify a position in the file.
    private func isInOrder(_ count: Int32) -> Bool {
        var last = Int64.min
        for entry in 0..<count {
            guard let time = avformat_index_get_entry(demuxer.stream, entry)?.pointee.timestamp, time >= last else {
                return false
            }
            last = time
        }
        return true
    }

    /// Reads the packet at the position after a seek.
    ///
    /// - Returns: `nil` when decoding cannot begin there.
    private func land(before microseconds: Int64, count: Int32) throws(MediaError) -> Landing? {
        guard let packet = try demuxer.read() else { return nil }
        guard demuxer.randomAccess.isRandomAccessPoint(packet), let presentation = packet.presentation,
            let decoding = packet.decoding, demuxer.clock.isPlausible(presentation),
            !demuxer.clock.isAtOrAfter(microseconds, presentation)
        else { return nil }
        let position = av_index_search_timestamp(demuxer.stream, decoding, AVSEEK_FLAG_ANY)
        guard position >= 0, position < count else { return nil }
        var frames: Int64 = 0
        for entry in 0..<position {
            guard let listing = avformat_index_get_entry(demuxer.stream, entry) else { return nil }
            if listing.pointee.flags & AVINDEX_DISCARD_FRAME == 0 { frames += 1 }
        }
        return Landing(packet: packet, frames: frames)
    }
}
