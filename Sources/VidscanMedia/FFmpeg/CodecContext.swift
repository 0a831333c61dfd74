internal import CFFmpeg
internal import CFFmpegLog
internal import VidscanBase

/// A decoder or an encoder.
typealias CodecContext = Owned<AVCodecContext>

extension CodecContext {
    init(_ codec: UnsafePointer<AVCodec>?) throws(MediaError) { try self.init(avcodec_alloc_context3(codec)) }

    /// Does not open the decoder. `purpose` is the end of the error's message.
    init(decoding stream: Stream, threads: Int, purpose: String) throws(MediaError) {
        guard let codec = avcodec_find_decoder(stream.pointee.codec) else {
            throw MediaError(.unsupportedCodec, "this FFmpeg has no decoder for \(purpose)")
        }
        try self.init(codec)
        avcodec_parameters_to_context(pointer, stream.pointee.codecpar)
        pointer.pointee.pkt_timebase = stream.pointee.time_base
        pointer.pointee.thread_count = Int32(threads)
    }

    /// - Parameter failure: the beginning of the error's message.
    func open(_ failure: String) throws(MediaError) {
        FFmpeg.beginErrors()
        let result = avcodec_open2(pointer, nil, nil)
        guard result >= 0 else { throw MediaError(.unsupportedCodec, "\(failure): \(FFmpeg.reason(result))") }
    }

    typealias Receive = (borrowing Packet) throws(MediaError) -> Void

    /// A `nil` frame ends the stream. `packet` holds one packet after the other.
    func encode(
        _ frame: UnsafeMutablePointer<AVFrame>?, into packet: borrowing Packet, _ failure: String, _ receive: Receive
    ) throws(MediaError) {
        FFmpeg.beginErrors()
        var result = avcodec_send_frame(pointer, frame)
        while result >= 0 {
            result = avcodec_receive_packet(pointer, packet.pointer)
            if result == FFmpeg.tryAgain || result == FFmpeg.endOfFile { return }
            guard result >= 0 else { break }
            try receive(packet)
            av_packet_unref(packet.pointer)
        }
        throw MediaError(.io, "\(failure): \(FFmpeg.reason(result))")
    }
}
