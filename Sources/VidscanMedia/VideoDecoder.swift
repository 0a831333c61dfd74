internal import CFFmpeg
internal import VidscanBase

/// A libavcodec decoder: packets in, pictures in presentation order out.
final class VideoDecoder {
    enum Output {
        case frame(UnsafeMutablePointer<AVFrame>)
        case needsPacket
        case ended
    }

    let context: UnsafeMutablePointer<AVCodecContext>
    /// Packets and pictures that the decoder found damaged.
    private(set) var damageCount = 0
    private(set) var lastError: String?

    init(stream: UnsafeMutablePointer<AVStream>, limits: MediaLimits, threads: Int) throws(MediaError) {
        let id = stream.pointee.codecpar.pointee.codec_id
        let name = String(cString: avcodec_get_name(id))
        guard let codec = avcodec_find_decoder(id) else {
            throw MediaError(.unsupportedCodec, "no decoder for its codec (\(name)) in this FFmpeg")
        }
        guard let context = avcodec_alloc_context3(codec) else {
            throw MediaError(.io, Libav.message(Libav.outOfMemory))
        }
        avcodec_parameters_to_context(context, stream.pointee.codecpar)
        context.pointee.pkt_timebase = stream.pointee.time_base
        context.pointee.max_pixels = Int64(limits.maximumPixels)
        context.pointee.thread_count = Int32(threads)
        let opened = avcodec_open2(context, codec, nil)
        guard opened >= 0 else {
            var optional: UnsafeMutablePointer<AVCodecContext>? = context
            avcodec_free_context(&optional)
            throw MediaError(.unsupportedCodec, "cannot open the \(name) decoder: \(Libav.reason(opened))")
        }
        self.context = context
    }

    deinit {
        var optional: UnsafeMutablePointer<AVCodecContext>? = context
        avcodec_free_context(&optional)
    }

    /// Gives the decoder a packet, or the end of the stream. All that it holds must have been taken out before.
    ///
    /// - Parameter skipUnreferenced: the picture is not wanted unless others are predicted from it.
    func send(_ packet: UnsafeMutablePointer<AVPacket>?, skipUnreferenced: Bool) throws(MediaError) {
        context.pointee.skip_frame = skipUnreferenced ? AVDISCARD_NONREF : AVDISCARD_DEFAULT
        let result = avcodec_send_packet(context, packet)
        if result < 0, result != Libav.endOfFile { try note(result) }
    }

    /// Takes the next picture out. The caller owns it.
    func receive() throws(MediaError) -> Output {
        guard let frame = av_frame_alloc() else { throw MediaError(.io, Libav.message(Libav.outOfMemory)) }
        while true {
            let result = avcodec_receive_frame(context, frame)
            if result >= 0 {
                if frame.pointee.flags & AV_FRAME_FLAG_CORRUPT != 0 || frame.pointee.decode_error_flags != 0 {
                    damageCount += 1
                }
                return .frame(frame)
            }
            if result == Libav.tryAgain || result == Libav.endOfFile {
                var optional: UnsafeMutablePointer<AVFrame>? = frame
                av_frame_free(&optional)
                return result == Libav.tryAgain ? .needsPacket : .ended
            }
            do {
                try note(result)
            } catch {
                var optional: UnsafeMutablePointer<AVFrame>? = frame
                av_frame_free(&optional)
                throw error
            }
        }
    }

    /// Forgets everything, so that decoding begins anew with the next packet.
    func flush() {
        avcodec_flush_buffers(context)
    }

    /// Damage is counted and passed over; running out of memory is not damage.
    private func note(_ result: Int32) throws(MediaError) {
        guard result != Libav.outOfMemory else { throw MediaError(.io, Libav.message(result)) }
        damageCount += 1
        lastError = Libav.message(result)
    }
}
