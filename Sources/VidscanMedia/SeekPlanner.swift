internal import CFFmpeg
internal import VidscanBase

/// Jumps to the last restart point before a time, where the container lets one know which frame that is.
///
/// A frame's index counts all frames before it, so a jump is only made with a container that lists every frame (the MP4
/// and QuickTime family); in others the packets are read through, though not decoded.
struct SeekPlanner {
    let demuxer: Demuxer

    /// - Parameters:
    ///   - microseconds: on the stream's clock; reading continues at a restart point presented before it.
    ///   - queue: receives the packets read while looking for that point, which come first.
    /// - Returns: the number of frames presented before the first packet of `queue`; 0 when no jump was made.
    func seek(before microseconds: Int64, into queue: PacketQueue) throws(MediaError) -> Int64 {
        let stream = demuxer.stream
        let listed = avformat_index_get_entries_count(stream)
        guard listed > 0, stream.pointee.nb_frames > 0, Int64(listed) >= stream.pointee.nb_frames else { return 0 }
        guard let first = avformat_index_get_entry(stream, 0)?.pointee.timestamp, isInOrder(listed), !mayListFields
        else { return 0 }
        // Each step back doubles: from a point that turns out not to be one, or that lies too late.
        var margin: Int64 = 1
        var hasMoved = false
        while microseconds - margin > 0 {
            hasMoved = true
            let target = demuxer.clock.timestamp(atOrBefore: microseconds - margin)
            guard demuxer.seek(before: target) else { break }
            if let skipped = try land(before: microseconds, listed: listed, into: queue) { return skipped }
            queue.removeAll()
            margin = max(margin * 2, 10_000_000)
        }
        if hasMoved, !demuxer.seek(before: first) {
            throw MediaError(.io, "cannot go back to the beginning of the file")
        }
        return 0
    }

    /// Whether two entries may make one frame: H.264 that is not known to be progressive.
    private var mayListFields: Bool {
        let parameters = demuxer.stream.pointee.codecpar.pointee
        return parameters.codec_id == AV_CODEC_ID_H264 && parameters.field_order != AV_FIELD_PROGRESSIVE
    }

    /// Whether the listed times never go back: where they jump, a place in the file cannot be told from a time.
    private func isInOrder(_ listed: Int32) -> Bool {
        var last = Int64.min
        for entry in 0..<listed {
            guard let time = avformat_index_get_entry(demuxer.stream, entry)?.pointee.timestamp, time >= last else {
                return false
            }
            last = time
        }
        return true
    }

    /// Reads the packet at the landing place.
    ///
    /// - Returns: the number of frames before it, or `nil` when reading cannot begin here.
    private func land(before microseconds: Int64, listed: Int32, into queue: PacketQueue) throws(MediaError) -> Int64? {
        let packet = try PacketQueue.allocate()
        queue.append(packet)
        guard try demuxer.read(into: packet), demuxer.restart.isRestartPoint(packet.pointee),
            let presentation = Libav.timestamp(packet.pointee.pts), let decoding = Libav.timestamp(packet.pointee.dts),
            demuxer.clock.isPlausible(presentation), !demuxer.clock.isAtOrAfter(microseconds, presentation)
        else { return nil }
        let position = av_index_search_timestamp(demuxer.stream, decoding, AVSEEK_FLAG_ANY)
        guard position >= 0, position < listed else { return nil }
        var frames: Int64 = 0
        for entry in 0..<position {
            guard let listing = avformat_index_get_entry(demuxer.stream, entry) else { return nil }
            if listing.pointee.flags & AVINDEX_DISCARD_FRAME == 0 { frames += 1 }
        }
        return frames
    }
}
