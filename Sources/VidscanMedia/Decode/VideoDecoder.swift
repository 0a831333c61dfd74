internal import CFFmpeg
internal import VidscanBase

/// A libavcodec decoder: takes packets and gives frames in presentation order.
final class VideoDecoder {
    enum Output: ~Copyable {
        case frame(Frame)
        case needsPacket
        case ended
    }

    private let context: CodecContext
    /// Packets and frames that the decoder found damaged.
    private(set) var damageCount = 0
    private(set) var lastError: String?

    init(stream: UnsafeMutablePointer<AVStream>, limits: MediaLimits, threads: Int) throws(MediaError) {
        let name = String(cString: avcodec_get_name(stream.pointee.codec))
        guard let codec = avcodec_find_decoder(stream.pointee.codec) else {
            throw MediaError(.unsupportedCodec, "this FFmpeg has no decoder for its codec (\(name))")
        }
        context = try CodecContext(codec)
        avcodec_parameters_to_context(context.pointer, stream.pointee.codecpar)
        context.pkt_timebase = stream.pointee.time_base
        context.max_pixels = Int64(limits.maximumPixels)
        context.thread_count = Int32(threads)
        try context.open("cannot open the \(name) decoder")
    }

    /// Sends a packet. All frames must have been received before.
    ///
    /// - Parameter skipUnreferenced: whether the decoder skips the frame if no other frame refers to it.
    func send(_ packet: borrowing Packet, skipUnreferenced: Bool) throws(MediaError) {
        try send(packet.pointer, skipUnreferenced: skipUnreferenced)
    }

    /// Sends the end of the stream. The decoder gives its last frames.
    func sendEnd() throws(MediaError) {
        try send(nil, skipUnreferenced: false)
    }

    private func send(_ packet: UnsafeMutablePointer<AVPacket>?, skipUnreferenced: Bool) throws(MediaError) {
        context.skip_frame = skipUnreferenced ? AVDISCARD_NONREF : AVDISCARD_DEFAULT
        let result = avcodec_send_packet(context.pointer, packet)
        if result < 0, result != FFmpeg.endOfFile { try note(result) }
    }

    /// Receives the next frame.
    func receive() throws(MediaError) -> Output {
        let frame = try Frame()
        while true {
            let result = avcodec_receive_frame(context.pointer, frame.pointer)
            if result >= 0 {
                if frame.flags & AV_FRAME_FLAG_CORRUPT != 0 || frame.decode_error_flags != 0 { damageCount += 1 }
                return .frame(frame)
            }
            if result == FFmpeg.tryAgain { return .needsPacket }
            if result == FFmpeg.endOfFile { return .ended }
            try note(result)
        }
    }

    /// Forgets everything, so that decoding begins anew with the next packet.
    func flush() {
        avcodec_flush_buffers(context.pointer)
    }

    /// Counts damage. Running out of memory is not damage.
    private func note(_ result: Int32) throws(MediaError) {
        guard result != FFmpeg.outOfMemory else { throw .outOfMemory }
        damageCount += 1
        lastError = FFmpeg.message(result)
    }
}
