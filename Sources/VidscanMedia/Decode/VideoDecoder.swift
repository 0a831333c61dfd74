internal import CFFmpeg
internal import CFFmpegLog
internal import VidscanBase

/// A libavcodec decoder: takes packets and gives frames in presentation order.
final class VideoDecoder {
    enum Output: ~Copyable {
        case frame(Frame)
        case needsPacket
        case ended
    }

    private let context: CodecContext
    private let errors: PacketErrors
    /// The number of packets that have been sent, which is the number of the next one.
    private(set) var packetCount: Int64 = 0
    /// The packets, by number, about which the decoder has reported errors since the last frame. Those up to the frame's are
    /// known.
    private(set) var newErrors: [Int64] = []
    /// Packets and frames that the decoder found damaged.
    private(set) var damageCount = 0
    private(set) var lastError: String?

    init(stream: UnsafeMutablePointer<AVStream>, limits: MediaLimits, threads: Int) throws(MediaError) {
        let name = String(cString: avcodec_get_name(stream.pointee.codec))
        guard let codec = avcodec_find_decoder(stream.pointee.codec) else {
            throw MediaError(.unsupportedCodec, "this FFmpeg has no decoder for its codec (\(name))")
        }
        var context = try CodecContext(codec)
        avcodec_parameters_to_context(context.pointer, stream.pointee.codecpar)
        context.pkt_timebase = stream.pointee.time_base
        context.max_pixels = limits.decoderPixels
        context.thread_count = Int32(threads)
        let errors = try PacketErrors(of: context.pointer)
        context.attachment = errors
        try context.open("cannot open the \(name) decoder")
        self.errors = errors
        self.context = context
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
        if let packet {
            vs_number_packet(context.pointer, packet, packetCount)
            packetCount += 1
        }
        let result = avcodec_send_packet(context.pointer, packet)
        if result < 0, result != FFmpeg.endOfFile { try note(result) }
    }

    /// Receives the next frame.
    func receive() throws(MediaError) -> Output {
        let frame = try Frame()
        while true {
            let result = avcodec_receive_frame(context.pointer, frame.pointer)
            if result >= 0 {
                newErrors = errors.take(at: frame)
                damageCount += newErrors.count
                return .frame(frame)
            }
            if result == FFmpeg.tryAgain { return .needsPacket }
            if result == FFmpeg.endOfFile { return .ended }
            try note(result)
        }
    }

    /// The number of a frame's packet.
    func packetNumber(of frame: borrowing Frame) -> Int64 { vs_packet_number(frame.pointer) }

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
