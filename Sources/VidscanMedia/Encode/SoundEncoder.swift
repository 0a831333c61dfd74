internal import CFFmpeg
internal import VidscanBase

/// Decodes the sound of a stream and encodes it again, so that nothing but its samples reaches the new video.
///
/// Copied packets could carry other data in every codec: AC-3, E-AC-3 and DTS have text fields, AAC has data and fill elements
/// anywhere, MP3 and FLAC allow bytes after a frame, and Opus has padding.
///
/// Samples keep their times. Gaps in the timestamps stay; where they overlap, the later sound loses its beginning.
final class SoundEncoder {
    let context: CodecContext
    private(set) var damageCount = 0

    private let decoder: CodecContext
    private let decoded: Frame
    private var resampler: OpaquePointer?
    private let queue: OpaquePointer?
    /// Position of the first queued sample, counted from the beginning of the new video.
    private var start: Int64?

    typealias Receive = CodecContext.Receive
    private typealias Choice = (name: String, format: AVSampleFormat)

    /// 20 ms: millisecond timestamps are up to this inexact, and players hear no gap.
    private var tolerance: Int64 { Int64(context.sample_rate) / 50 }
    private var frameSize: Int64 { Int64(context.frame_size) }
    private var queuedSamples: Int64 { Int64(av_audio_fifo_size(queue)) }

    init(_ stream: Stream, container: VideoContainer) throws(MediaError) {
        decoder = try CodecContext(decoding: stream, threads: 1, purpose: "it")
        try decoder.open("cannot open its decoder")
        context = try Self.encoder(of: stream.pointee.codecpar.pointee, container)
        decoded = try Frame()
        queue = av_audio_fifo_alloc(context.sample_fmt, context.ch_layout.nb_channels, context.frame_size)
        resampler = swr_alloc()  // Last: no `deinit` would free it if a later step failed.
        guard resampler != nil, queue != nil else { throw .outOfMemory }
    }

    deinit {
        swr_free(&resampler)
        av_audio_fifo_free(queue)
    }

    /// FLAC for lossless sound (ALAC in MOV, which has no FLAC), otherwise AAC unless it lacks the sample rate or channels.
    private static func encoder(
        of parameters: AVCodecParameters, _ container: VideoContainer
    ) throws(MediaError) -> CodecContext {
        let shallow = [AV_SAMPLE_FMT_U8, AV_SAMPLE_FMT_U8P, AV_SAMPLE_FMT_S16, AV_SAMPLE_FMT_S16P]
        let isShallow = shallow.contains { $0.rawValue == parameters.format }
        let lossless: Choice =
            container == .mov
            ? ("alac", isShallow ? AV_SAMPLE_FMT_S16P : AV_SAMPLE_FMT_S32P)
            : ("flac", isShallow ? AV_SAMPLE_FMT_S16 : AV_SAMPLE_FMT_S32)
        let aac: Choice = ("aac", AV_SAMPLE_FMT_FLTP)
        let properties = avcodec_descriptor_get(parameters.codec_id)?.pointee.props ?? 0
        // Most DTS is lossy, although the codec can be lossless.
        let isLossless = properties & AV_CODEC_PROP_LOSSLESS != 0 && parameters.codec_id != AV_CODEC_ID_DTS
        var failure = MediaError(.unsupportedCodec, "this FFmpeg has no encoder for sound")
        for choice in isLossless || aacLayout(parameters.ch_layout) == nil ? [lossless, aac] : [aac, lossless] {
            guard let codec = avcodec_find_encoder_by_name(choice.name) else { continue }
            do throws(MediaError) { return try open(codec, choice, parameters) } catch { failure = error }
        }
        throw failure
    }

    private static func open(
        _ codec: UnsafePointer<AVCodec>, _ choice: Choice, _ parameters: AVCodecParameters
    ) throws(MediaError) -> CodecContext {
        let context = try CodecContext(codec)
        context.sample_fmt = choice.format
        context.sample_rate = parameters.sample_rate
        context.time_base = AVRational(num: 1, den: max(1, parameters.sample_rate))
        context.ch_layout = parameters.ch_layout.native
        // The containers store 24 bits in 32-bit samples.
        if [AV_SAMPLE_FMT_S32, AV_SAMPLE_FMT_S32P].contains(choice.format) { context.bits_per_raw_sample = 24 }
        if choice.name == "aac" {
            if let mask = aacLayout(context.ch_layout) {
                av_channel_layout_from_mask(&context.pointer.pointee.ch_layout, mask)
            }
            // AAC allows at most 6144 bits per frame and channel.
            context.bit_rate = Int64(parameters.ch_layout.nb_channels) * min(96_000, 6 * Int64(parameters.sample_rate))
        }
        context.thread_count = 1
        // Otherwise the encoder writes its name into the sound.
        context.flags |= Int32(AV_CODEC_FLAG_GLOBAL_HEADER) | Int32(AV_CODEC_FLAG_BITEXACT)
        try context.open("cannot open the encoder \(choice.name)")
        return context
    }

    /// The channels that AAC can name, up to 5.1. AAC does not tell side channels from back channels.
    private static func aacLayout(_ layout: AVChannelLayout) -> UInt64? {
        let channels = layout.native.u.mask
        // AV_CH_… are macros with casts.
        let (front, center, lowFrequency): (UInt64, UInt64, UInt64) = (0x3, 0x4, 0x8)
        let (back, backCenter, side): (UInt64, UInt64, UInt64) = (0x30, 0x100, 0x600)
        let moved = channels & side == side && channels & back == 0 ? channels ^ side | back : channels
        let named = [
            center, front, front | center, front | center | backCenter, front | center | back,
            front | center | back | lowFrequency,
        ]
        return named.contains(moved) ? moved : nil
    }

    /// `source` counts from the beginning of the new video, in the stream's time base. `receive` gets times in samples.
    func encode(_ source: borrowing Packet, receive: Receive) throws(MediaError) {
        // A packet without data would end the stream.
        if source.size > 0 { try decode(source.pointer, receive) }
    }

    func finish(receive: Receive) throws(MediaError) {
        try decode(nil, receive)
        if queuedSamples > 0 { try encodeQueued(queuedSamples, receive) }
        try encode(nil, receive)
    }

    private func decode(_ source: UnsafeMutablePointer<AVPacket>?, _ receive: Receive) throws(MediaError) {
        if avcodec_send_packet(decoder.pointer, source) < 0 { damageCount += 1 }
        while try decoder.receiveSound(into: decoded, damage: &damageCount) { try add(receive) }
    }

    private func add(_ receive: Receive) throws(MediaError) {
        let samples = try frame(of: 0)
        let result = samples.resample(decoded.pointer, with: resampler)
        guard result >= 0 else { throw MediaError(.io, "cannot convert the sound: \(FFmpeg.message(result))") }
        let count = Int64(samples.nb_samples)
        var skipped: Int64 = 0
        let position = FFmpeg.timestamp(decoded.best_effort_timestamp).map {
            av_rescale_q($0, decoder.pkt_timebase, context.time_base)
        }
        let first = start ?? max(0, position ?? 0)
        start = first
        if let position {
            let difference = position - (first + queuedSamples)
            if difference > tolerance {
                try leaveGap(of: difference, receive)
            } else if -difference > tolerance {
                skipped = min(count, -difference)
            }
        }
        guard skipped < count else { return }
        guard vs_write_samples(queue, samples.pointer, Int32(skipped)) >= 0 else { throw .outOfMemory }
        while queuedSamples >= frameSize { try encodeQueued(frameSize, receive) }
    }

    /// Without samples, for the resampler to fill, or with memory for them.
    private func frame(of count: Int64) throws(MediaError) -> Frame {
        let frame = try Frame()
        frame.format = context.sample_fmt.rawValue
        frame.sample_rate = context.sample_rate
        frame.ch_layout = context.ch_layout
        frame.nb_samples = Int32(count)
        guard count == 0 || av_frame_get_buffer(frame.pointer, 0) >= 0 else { throw .outOfMemory }
        return frame
    }

    private func leaveGap(of count: Int64, _ receive: Receive) throws(MediaError) {
        let padding = queuedSamples > 0 ? min(count, frameSize - queuedSamples) : 0
        if padding > 0 {
            let silence = try frame(of: padding)
            av_samples_set_silence(
                silence.extended_data, 0, silence.nb_samples, context.ch_layout.nb_channels, context.sample_fmt)
            guard vs_write_samples(queue, silence.pointer, 0) >= 0 else { throw .outOfMemory }
            if queuedSamples == frameSize { try encodeQueued(frameSize, receive) }
        }
        if queuedSamples == 0, let start { self.start = start + count - padding }
    }

    private func encodeQueued(_ count: Int64, _ receive: Receive) throws(MediaError) {
        guard let start else { return }
        let frame = try frame(of: count)
        guard vs_read_samples(queue, frame.pointer) >= 0 else { throw .outOfMemory }
        frame.pts = start
        self.start = start + count
        try encode(frame.pointer, receive)
    }

    private func encode(_ frame: UnsafeMutablePointer<AVFrame>?, _ receive: Receive) throws(MediaError) {
        try context.encode(frame, "cannot encode the sound", receive)
    }
}
