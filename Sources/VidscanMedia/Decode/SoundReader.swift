internal import CFFmpeg
package import VidscanBase

/// Decodes the sound of a video as 16 kHz mono, on the clock of its frames. Where timestamps leave a gap, nothing is
/// given out; where sound overlaps, the later one loses its beginning. Use it from one thread.
package final class SoundReader {
    /// Samples per second.
    package static let rate = 16_000

    private let demuxer: Demuxer
    private let clock: StreamClock
    private let decoder: CodecContext
    private let decoded: Frame
    private var resampler: OpaquePointer?
    /// The position of the next sample, counted from the container's start.
    private var position: Int?
    /// Where the next decoded frame begins if the sound has no gap.
    private var expected: Double?
    /// Samples that overlap those given out before.
    private var overlap = 0
    private var end = Int.max
    /// Decoded frames in a row that begin at or after the end. A single one may have a wrong timestamp.
    private var framesPastEnd = 0

    package typealias Receive = (_ position: Int, _ samples: UnsafeBufferPointer<Int16>) throws -> Void

    /// 20 ms: millisecond timestamps are up to this inexact.
    private static let tolerance = Double(rate) / 50

    /// Returns `nil` if the file has no sound that can be decoded. Throws if `audioStream` is not one of sound.
    /// `videoStream`: the stream whose clock the sound follows, as for `FrameReader`. `audioStream`: among all streams
    /// of the container; `nil` selects the one that belongs to the video.
    package init?(
        path: String, videoStream: Int?, audioStream: Int?, limits: MediaLimits,
        cancellation: CancellationFlag = CancellationFlag()
    ) throws(MediaError) {
        demuxer = try Demuxer(path: path, streamIndex: videoStream, limits: limits, cancellation: cancellation)
        guard let stream = try demuxer.input.audioStream(audioStream, of: demuxer.stream) else { return nil }
        decoded = try Frame()
        do throws(MediaError) {
            decoder = try CodecContext(decoding: stream, threads: 1, purpose: "its sound")
            try decoder.open("cannot open the decoder of its sound")
        } catch {
            guard audioStream == nil else { throw error }
            return nil
        }
        clock = demuxer.clock.withTimeBase(stream.pointee.timeBase)
        resampler = swr_alloc()  // Last: no `deinit` would free it if a later step failed.
        guard resampler != nil else { throw .outOfMemory }
        demuxer.read(streams: [stream])
    }

    deinit { swr_free(&resampler) }

    /// Reads to the end of the file, or to `end` in microseconds since the container's start. `receive` gets stretches of
    /// samples in order; their positions, in samples since the container's start, never overlap.
    package func read(until end: Int64, _ receive: Receive) throws {
        self.end = Self.position(ofMicroseconds: end)
        try withoutActuallyEscaping(receive) { receive in
            var failure: (any Error)?
            demuxer.onOtherPacket = { [unowned self] packet throws(MediaError) in
                // A packet without data would end the stream.
                guard failure == nil, packet.size > 0 else { return }
                do { try decode(packet.pointer, receive) } catch { failure = error }
            }
            defer { demuxer.onOtherPacket = nil }
            while failure == nil, position ?? 0 < self.end, framesPastEnd < 50, try demuxer.read() != nil {}
            if let failure { throw failure }
        }
        try decode(nil, receive)
        try convert(nil, receive)
    }

    private func decode(_ packet: UnsafeMutablePointer<AVPacket>?, _ receive: Receive) throws {
        avcodec_send_packet(decoder.pointer, packet)
        // What cannot be decoded is silence.
        var damage = 0
        while try decoder.receiveSound(into: decoded, damage: &damage) { try add(receive) }
    }

    private func add(_ receive: Receive) throws {
        let time = FFmpeg.timestamp(decoded.best_effort_timestamp).flatMap { clock.isPlausible($0) ? $0 : nil }
        let start = time.map { Self.position(ofMicroseconds: clock.microseconds(at: $0)) } ?? Int(expected ?? 0)
        framesPastEnd = start < end ? 0 : framesPastEnd + 1
        guard framesPastEnd == 0 else { return }
        let continues = expected.map { abs(Double(start) - $0) <= Self.tolerance } == true
        if !continues {
            try convert(nil, receive)
            swr_close(resampler)
            overlap = max(0, (position ?? 0) - start)
            position = max(position ?? 0, start)
            expected = Double(start)
        }
        expected? += Double(decoded.nb_samples) * Double(Self.rate) / Double(decoded.sample_rate)
        try convert(decoded.pointer, receive)
    }

    /// Without a frame, gives out what the resampler holds back.
    private func convert(_ frame: UnsafeMutablePointer<AVFrame>?, _ receive: Receive) throws {
        guard frame != nil || swr_is_initialized(resampler) != 0 else { return }
        let samples = try Frame()
        samples.format = AV_SAMPLE_FMT_S16.rawValue
        samples.sample_rate = Int32(Self.rate)
        av_channel_layout_default(&samples.pointer.pointee.ch_layout, 1)
        if samples.resample(frame, with: resampler) >= 0 { try give(samples, receive) }
    }

    private func give(_ frame: borrowing Frame, _ receive: Receive) throws {
        guard frame.nb_samples > 0, let data = frame.data.0 else { return }
        let skipped = min(overlap, Int(frame.nb_samples))
        overlap -= skipped
        let count = Int(frame.nb_samples) - skipped
        let start = position ?? 0
        position = start + count
        try data.withMemoryRebound(to: Int16.self, capacity: skipped + count) { samples in
            try receive(start, UnsafeBufferPointer(start: samples + skipped, count: count))
        }
    }

    private static func position(ofMicroseconds microseconds: Int64) -> Int {
        Int((Double(microseconds) * Double(rate) / 1e6).rounded())
    }
}

extension CodecContext {
    /// Decodes the next frame of sound, and counts damage. Returns `false` when it needs a packet or has ended.
    func receiveSound(into frame: borrowing Frame, damage: inout Int) throws(MediaError) -> Bool {
        while true {
            let result = avcodec_receive_frame(pointer, frame.pointer)
            if result == FFmpeg.tryAgain || result == FFmpeg.endOfFile { return false }
            guard result != FFmpeg.outOfMemory else { throw .outOfMemory }
            if result >= 0, frame.nb_samples > 0, frame.sample_rate > 0 { return true }
            damage += 1
        }
    }
}

extension AVChannelLayout {
    /// The usual order of this number of channels, unless the layout names them. Other layouts own memory.
    var native: AVChannelLayout {
        guard order != AV_CHANNEL_ORDER_NATIVE else { return self }
        var usual = AVChannelLayout()
        av_channel_layout_default(&usual, nb_channels)
        return usual
    }
}

extension Frame {
    /// Fills an empty frame of sound, and returns libav's result.
    func resample(_ source: UnsafeMutablePointer<AVFrame>?, with resampler: OpaquePointer?) -> Int32 {
        // A layout that names no channels differs from the resampler's own, so each frame would be taken for a change, at
        // which sound that the resampler holds back is lost.
        if let source, source.pointee.ch_layout.order != AV_CHANNEL_ORDER_NATIVE {
            let layout = source.pointee.ch_layout.native
            av_channel_layout_uninit(&source.pointee.ch_layout)
            source.pointee.ch_layout = layout
        }
        let result = swr_convert_frame(resampler, pointer, source)
        guard result < 0, source != nil else { return result }
        // Rate and channels may change within a stream.
        swr_close(resampler)
        return swr_convert_frame(resampler, pointer, source)
    }
}

extension InputContext {
    /// - Parameter index: among all streams; `nil` selects the best one for the video, or none.
    fileprivate func audioStream(_ index: Int?, of video: Stream) throws(MediaError) -> Stream? {
        if let index { return try stream(index, AVMEDIA_TYPE_AUDIO, "an audio") }
        let best = av_find_best_stream(pointer, AVMEDIA_TYPE_AUDIO, -1, video.pointee.index, nil, 0)
        return streams.first { $0.pointee.index == best }
    }
}
