internal import CFFmpeg
internal import VidscanBase

/// Reads the packets of one video stream, and on request those of other streams, on one continuous timeline.
final class Demuxer {
    let input: InputContext
    /// Owned by `input`.
    let stream: UnsafeMutablePointer<AVStream>
    let clock: StreamClock
    let randomAccess: RandomAccessPointDetector
    private let packets: DiscontinuityCorrector
    private let cancellation: CancellationFlag
    private var consecutiveErrors = 0

    /// Why reading ended before the end of the file, if it did.
    private(set) var readError: String?

    /// Receives the packets of the streams that `read(streams:)` has added, in the order of the file.
    var onOtherPacket: ((borrowing Packet) throws(MediaError) -> Void)?

    private static let maximumConsecutiveErrors = 50

    /// - Parameter streamIndex: among all streams; `nil` selects the best video stream.
    init(
        path: String, streamIndex: Int?, limits: MediaLimits, cancellation: CancellationFlag
    ) throws(MediaError) {
        let input = try InputContext(path: path, cancellation: cancellation)
        try input.findStreams(limits: limits)
        stream = try input.videoStream(streamIndex)
        // A cover picture or another video may be too large; only the selected stream matters.
        if let size = FFmpeg.refusedFrameSize, !stream.pointee.hasKnownSize {
            throw .frameTooLarge(size, limit: limits.maximumPixels)
        }
        for other in input.streams where other != stream { other.pointee.discard = AVDISCARD_ALL }
        let randomAccess = RandomAccessPointDetector(stream.pointee.codecpar.pointee)
        self.randomAccess = randomAccess
        clock = Self.clock(of: stream, in: input)
        packets = DiscontinuityCorrector(
            streamIndex: stream.pointee.index, clock: clock,
            frameDuration: Self.frameDuration(of: stream, in: input), forwardIsJump: input.mayResetClock,
            beginsSequence: randomAccess.beginsSequence)
        self.cancellation = cancellation
        self.input = input
    }

    /// Positions at which the timestamps in the file jump, as far as it has been read. The packets' timestamps do not.
    var discontinuities: [TimestampDiscontinuity] { packets.discontinuities }

    /// Duration of the container in microseconds, if it announces one.
    var durationMicroseconds: Int64? {
        if let duration = FFmpeg.timestamp(input.pointer.pointee.duration), duration > 0 { return duration }
        guard let duration = FFmpeg.timestamp(stream.pointee.duration), duration > 0 else { return nil }
        return StreamClock(timeBase: clock.timeBase, startMicroseconds: 0).microseconds(at: duration)
    }

    /// Also reads the packets of other streams, which are discarded by default.
    func read(streams indices: [Int]) {
        for stream in input.streams where indices.contains(Int(stream.pointee.index)) {
            stream.pointee.discard = AVDISCARD_DEFAULT
            packets.addCompanion(
                stream.pointee.index, timeBase: stream.pointee.timeBase,
                isContinuous: stream.pointee.codecType == AVMEDIA_TYPE_AUDIO)
        }
    }

    /// Reads the next packet of the video stream.
    ///
    /// - Returns: `nil` at the end of the file, and where it is too damaged to continue (see `readError`).
    func read() throws(MediaError) -> Packet? {
        while let packet = try packets.next(readAny) {
            if packet.stream_index == stream.pointee.index { return packet }
            try onOtherPacket?(packet)
        }
        return nil
    }

    /// Seeks to the last packet at or before a timestamp of the video stream from which libavformat can read.
    ///
    /// - Returns: whether it succeeded.
    func seek(before timestamp: Int64) -> Bool {
        packets.restart()
        return avformat_seek_file(
            input.pointer, stream.pointee.index, .min, timestamp, timestamp, AVSEEK_FLAG_BACKWARD) >= 0
    }

    /// Reads the next packet of any stream, with the timestamps in the file.
    private func readAny() throws(MediaError) -> Packet? {
        let packet = try Packet()
        while true {
            let result = av_read_frame(input.pointer, packet.pointer)
            if cancellation.isSet { throw .cancelled }
            if result >= 0 {
                consecutiveErrors = 0
                return packet
            }
            if result == FFmpeg.endOfFile {
                if let error = input.pointer.pointee.pb?.pointee.error, error < 0, error != FFmpeg.endOfFile {
                    readError = FFmpeg.message(error)
                }
                return nil
            }
            // Intact packets may follow a damaged one, but a demuxer that fails every time has lost its position.
            consecutiveErrors += 1
            readError = FFmpeg.message(result)
            let isDamage = result == FFmpeg.invalidData || result == FFmpeg.tryAgain
            guard isDamage, consecutiveErrors <= Self.maximumConsecutiveErrors else { return nil }
            av_packet_unref(packet.pointer)
        }
    }

    // MARK: Times

    private static func clock(
        of stream: UnsafeMutablePointer<AVStream>, in input: borrowing InputContext
    ) -> StreamClock {
        let start = { (stream: UnsafeMutablePointer<AVStream>) in
            FFmpeg.timestamp(stream.pointee.start_time).map { TimestampInBase($0, stream.pointee.timeBase) }
        }
        let microseconds = FFmpeg.timestamp(input.pointer.pointee.start_time) ?? 0
        return StreamClock(
            timeBase: stream.pointee.timeBase, startMicroseconds: microseconds,
            start: StreamClock.exactStart(
                microseconds: microseconds, own: start(stream),
                others: input.streams.filter { $0 != stream }.compactMap(start)))
    }

    /// As announced, in units of the stream's time base; 0 if unknown.
    private static func frameDuration(
        of stream: UnsafeMutablePointer<AVStream>, in input: borrowing InputContext
    ) -> Int64 {
        let rate = av_guess_frame_rate(input.pointer, stream, nil)
        guard rate.num > 0, rate.den > 0 else { return 0 }
        return TimestampInBase(Int64(rate.den), Rational(1, Int64(rate.num)) ?? .one)
            .rescaled(to: stream.pointee.timeBase)
    }
}
