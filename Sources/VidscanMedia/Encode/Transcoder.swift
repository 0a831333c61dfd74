internal import CFFmpeg
internal import DequeModule
public import VidscanBase

/// Makes a new video of another one. The caller edits every frame; audio and subtitles are copied.
///
/// Decodes every frame in presentation order, turns it upright, passes it to the editor and encodes it with its own timestamp.
/// Packets of audio and subtitles are copied bit for bit. MPEG transport and program streams, whose clocks start at any time,
/// begin at 0 in the new video. Other formats keep their times.
///
/// Without metadata, sound is encoded again, because its packets may say anything about the source, and every new video
/// begins at 0, because clocks may show the date of the recording. Use it from one thread.
public final class Transcoder {
    public struct Options: Sendable {
        public var codec: VideoCodec
        /// `nil` takes the default of the codec.
        public var rateFactor: Double?
        /// Of the new video in pixels; `nil` keeps the display height.
        public var height: Int?
        public var copiesAudio: Bool
        public var copiesSubtitles: Bool
        /// Whether titles, locations, dates and other metadata are kept, in the container, in codec headers and in frames.
        public var keepsMetadata: Bool
        /// Index among all streams of the container; `nil` selects the best video stream.
        public var streamIndex: Int?
        public var decoderThreads: Int
        /// As in `FrameReader.Options`.
        public var skipsUnneededPackets: Bool
        public var limits: MediaLimits

        public init(
            codec: VideoCodec = .h264, rateFactor: Double? = nil, height: Int? = nil, copiesAudio: Bool = true,
            copiesSubtitles: Bool = true, keepsMetadata: Bool = true, streamIndex: Int? = nil, decoderThreads: Int = 2,
            skipsUnneededPackets: Bool = false, limits: MediaLimits = MediaLimits()
        ) {
            self.codec = codec
            self.rateFactor = rateFactor
            self.height = height
            self.copiesAudio = copiesAudio
            self.copiesSubtitles = copiesSubtitles
            self.keepsMetadata = keepsMetadata
            self.streamIndex = streamIndex
            self.decoderThreads = decoderThreads
            self.skipsUnneededPackets = skipsUnneededPackets
            self.limits = limits
        }
    }

    public var info: VideoInfo { reader.info }
    public var statistics: ReadStatistics { reader.statistics }
    /// Number of frames written.
    public private(set) var frameCount = 0
    /// Number of frames that were moved to one tick after the frame before, because their timestamps were not later.
    public private(set) var movedFrames = 0
    /// Number of packets of sound and subtitles that were left out because they are damaged or their time is implausible.
    public var omittedPackets: Int { writer?.omittedPackets ?? 0 }
    /// Names of the codecs in which sound was encoded again: `AAC`.
    public var soundCodecs: [String] { writer?.soundCodecs.sorted() ?? [] }
    /// Audio and subtitle streams that are left out because nothing but their content must reach the new video, and why:
    /// `stream 1 (xma1): this FFmpeg has no decoder for it`.
    public let omittedStreams: [String]
    /// How long after the start of the source's container the new video begins, in microseconds.
    public var startMicroseconds: Int64 {
        options.keepsMetadata || writer == nil ? 0 : shiftMicroseconds - info.containerStartMicroseconds
    }
    /// The most bytes of other streams that have waited for the first frame.
    package private(set) var mostBytesWaiting = 0

    private let options: Options
    private let source: String
    private let cancellation: CancellationFlag
    private let reader: FrameReader
    /// Copied streams.
    private let streams: [UnsafeMutablePointer<AVStream>]
    /// Subtracted from every timestamp.
    private var shiftMicroseconds: Int64 = 0
    private var shiftTicks: Int64 = 0
    private let compositor = Compositor()
    private let pool = FramePool()
    private var converter: EncoderInputConverter?
    private var encoder: VideoEncoder?
    private var writer: ContainerWriter?
    /// Packets of other streams that came before the first frame.
    private var early = UniqueDeque<Packet>()
    private var earlyBytes = 0
    /// Sound may begin any time before the picture. When more than this waits, a second reader gets the first frame.
    private static let maximumEarlyBytes = 4 << 20
    /// How far before the first frame another stream may begin, if it announces a start and none of its packets has come yet.
    private static let maximumHeadStart: Int64 = 10_000_000
    /// Its duration is known when the next frame comes.
    private var pending: EditableFrame?
    private var lastDuration: Int64 = 0

    /// Opens the source.
    ///
    /// - Throws: `MediaError` when there is no video to read.
    public init(
        source: String, options: Options, cancellation: CancellationFlag = CancellationFlag()
    ) throws(MediaError) {
        self.options = options
        self.source = source
        self.cancellation = cancellation
        reader = try Self.reader(source, options, cancellation)
        let demuxer = reader.demuxer
        let selected = demuxer.input.streams.filter { stream in
            guard stream != demuxer.stream, stream.pointee.codec != AV_CODEC_ID_NONE else { return false }
            switch stream.pointee.codecType {
            case AVMEDIA_TYPE_AUDIO: return options.copiesAudio && stream.pointee.codecpar.pointee.sample_rate > 0
            case AVMEDIA_TYPE_SUBTITLE: return options.copiesSubtitles
            default: return false
            }
        }
        var omitted: [String] = []
        streams = selected.filter { stream in
            guard !options.keepsMetadata, let reason = Self.obstacle(stream) else { return true }
            omitted.append("stream \(stream.pointee.index) (\(stream.pointee.codecName)): \(reason)")
            return false
        }
        omittedStreams = omitted
    }

    private static func reader(
        _ source: String, _ options: Options, _ cancellation: CancellationFlag
    ) throws(MediaError) -> FrameReader {
        try FrameReader(
            path: source,
            options: FrameReader.Options(
                rate: .everyFrame, streamIndex: options.streamIndex, decoderThreads: options.decoderThreads,
                skipsUnneededPackets: options.skipsUnneededPackets, limits: options.limits),
            cancellation: cancellation)
    }

    /// Why nothing but a stream's content can be written.
    private static func obstacle(_ stream: UnsafeMutablePointer<AVStream>) -> String? {
        guard stream.pointee.codecType == AVMEDIA_TYPE_AUDIO else {
            let isClean = SanitizedExtradata.bytes(of: stream.pointee.codecpar.pointee) != nil
            return isClean ? nil : "its codec header may describe the source, and cannot be cleaned"
        }
        do throws(MediaError) {
            _ = try SoundEncoder(stream, container: .mp4)
            return nil
        } catch {
            return error.reason
        }
    }

    /// The longest time between the beginning and the end.
    private var latestMicroseconds: Int64 { Int64(min(options.limits.maximumDurationSeconds * 1e6, 1e18)) }

    private var streamIndices: [Int] { streams.map { Int($0.pointee.index) } }

    /// Whether the new video has the sound of the source.
    public var copiesAudio: Bool { copies(AVMEDIA_TYPE_AUDIO) }

    /// Whether subtitles of the source are copied.
    public var copiesSubtitles: Bool { copies(AVMEDIA_TYPE_SUBTITLE) }

    private func copies(_ type: AVMediaType) -> Bool {
        streams.contains { $0.pointee.codecpar.pointee.codec_type == type }
    }

    /// Number of subtitle streams that are not copied.
    public var subtitlesLeftOut: Int {
        reader.demuxer.input.streams.count {
            $0.pointee.codecType == AVMEDIA_TYPE_SUBTITLE && !streams.contains($0)
        }
    }

    /// Names of the codecs, of copied streams and of the new video, that a container does not hold.
    public func unsupportedCodecs(in container: VideoContainer) -> [String] {
        let copied = streams.filter { options.keepsMetadata || $0.pointee.codecType != AVMEDIA_TYPE_AUDIO }
        return copied.filter { !container.supports($0.pointee.codec) }.map(\.pointee.codecName)
            + (options.codec == .ffv1 && container == .mp4 ? ["ffv1"] : [])
    }

    /// MP4 if it holds all streams, otherwise MKV, and MOV if only that holds them.
    public var preferredContainer: VideoContainer {
        let order: [VideoContainer] = [.mp4, .mkv, .mov]
        return order.first { unsupportedCodecs(in: $0).isEmpty } ?? .mkv
    }

    /// Reads, edits and writes the whole video.
    ///
    /// - Parameters:
    ///   - path: of the new file, which is complete only when this returns. An existing file is overwritten.
    ///   - edit: gets every frame in presentation order.
    /// - Throws: `MediaError`, or the error of `edit`.
    public func run(
        to path: String, container: VideoContainer, edit: (EditableFrame) throws -> Void
    ) throws {
        let demuxer = reader.demuxer
        demuxer.read(streams: streamIndices)
        demuxer.onOtherPacket = { [unowned self] packet throws(MediaError) in
            try self.copy(packet, to: path, container)
        }
        defer { demuxer.onOtherPacket = nil }
        while let sample = try reader.next() {
            let editable = try editable(sample)
            if writer == nil { try open(path, container, like: editable.frame, at: sample.timestamp) }
            editable.frame.pts = try time(of: sample)
            try edit(editable)
            try enter(editable)
        }
        try finish()
    }

    /// Reads, edits and encodes a picture. It has no metadata.
    ///
    /// - Returns: The bytes of the file.
    /// - Throws: `MediaError` if the source does not contain exactly one picture, or the error of `edit`.
    public func picture(as format: PictureFormat, edit: (EditableFrame) throws -> Void) throws -> [UInt8] {
        guard let sample = try reader.next() else { throw MediaError(.noVideo, "contains no picture") }
        let editable = try editable(sample)
        let size = converter?.contentSize ?? editable.size
        try edit(editable)
        frameCount = 1
        guard try reader.next() == nil else {
            throw MediaError(.undecodable, "contains several pictures, of which only one would be written")
        }
        return try PictureEncoder.encode(editable.frame, size: size, as: format)
    }

    private func editable(_ sample: SampledFrame) throws(MediaError) -> EditableFrame {
        let converter =
            converter
            ?? EncoderInputConverter(
                pool: pool, displaySize: sample.geometry.displaySize, height: options.height,
                keepsMetadata: options.keepsMetadata, keepsCaptions: options.copiesSubtitles)
        self.converter = converter
        return EditableFrame(
            frame: try converter.convert(sample), contentSize: converter.contentSize, sample: sample,
            compositor: compositor, pool: pool)
    }

    /// Encodes the frame before this one, whose duration is known now.
    private func enter(_ editable: EditableFrame) throws(MediaError) {
        if let pending {
            let last = pending.frame.pts
            if editable.frame.pts <= last {
                editable.frame.pts = last + 1
                movedFrames += 1
            }
            lastDuration = editable.frame.pts - last
            try encode(pending, duration: lastDuration)
        }
        pending = editable
    }

    private func encode(_ editable: EditableFrame, duration: Int64) throws(MediaError) {
        frameCount += 1
        try encoder?.encode(editable.frame, duration: duration) { packet throws(MediaError) in
            try writer?.write(video: packet)
        }
    }

    private func finish() throws(MediaError) {
        if let pending {
            try encode(pending, duration: lastFrameDuration(pending.frame))
            self.pending = nil
        }
        try encoder?.finish { packet throws(MediaError) in try writer?.write(video: packet) }
        try writer?.finish()
    }

    /// The last frame lasts until the announced end of the stream. Without an announced end, its own duration counts, or
    /// that of the frame before it.
    private func lastFrameDuration(_ frame: borrowing Frame) -> Int64 {
        let stream = reader.demuxer.stream.pointee
        let own = vs_frame_duration(frame.pointer)
        if let start = FFmpeg.timestamp(stream.start_time), let duration = FFmpeg.timestamp(stream.duration),
            duration > 0
        {
            let remaining = start &+ duration &- shiftTicks &- frame.pts
            if remaining > 0, remaining <= 4 * max(lastDuration, own) { return remaining }
        }
        return own > 0 ? own : lastDuration
    }

    /// - Parameter timestamp: of the first frame.
    private func open(
        _ path: String, _ container: VideoContainer, like frame: borrowing Frame, at timestamp: Int64
    ) throws(MediaError) {
        let demuxer = reader.demuxer
        if !options.keepsMetadata {
            shiftMicroseconds = beginning(firstFrame: timestamp)
        } else if demuxer.input.mayResetClock {
            shiftMicroseconds = demuxer.clock.startMicroseconds
        }
        shiftTicks = av_rescale_q_rnd(
            shiftMicroseconds, AVRational(num: 1, den: 1_000_000), demuxer.stream.pointee.time_base, AV_ROUND_NEAR_INF)
        let encoder = try VideoEncoder(
            options.codec, rateFactor: options.rateFactor ?? options.codec.defaultRateFactor, like: frame,
            timeBase: reader.info.timeBase, frameRate: reader.info.frameRate)
        let writer = try ContainerWriter(
            path: path, container: container, encoder: encoder, source: demuxer, streams: streamIndices,
            shiftMicroseconds: shiftMicroseconds, keepsMetadata: options.keepsMetadata,
            latestMicroseconds: latestMicroseconds)
        self.encoder = encoder
        self.writer = writer
        while let packet = early.popFirst() { try writer.write(copyOf: packet) }
        earlyBytes = 0
    }

    /// The earliest time in microseconds of what is written. Other streams do not count, because their clocks may differ by the
    /// date. Neither do packets long before the first frame, and an announced beginning without such a packet counts only
    /// close to that frame.
    private func beginning(firstFrame timestamp: Int64) -> Int64 {
        let first = TimestampInBase(timestamp, reader.info.timeBase).roundedMicroseconds
        var beginning = first
        for stream in streams {
            guard let start = FFmpeg.timestamp(stream.pointee.start_time) else { continue }
            let announced = TimestampInBase(start, stream.pointee.timeBase).roundedMicroseconds
            if announced > first - Self.maximumHeadStart { beginning = min(beginning, announced) }
        }
        for position in early.indices where !early[position].has(AV_PKT_FLAG_DISCARD) {
            guard let stream = streams.first(where: { $0.pointee.index == early[position].stream_index }),
                let time = early[position].presentation ?? early[position].decoding
            else { continue }
            let microseconds = TimestampInBase(time, stream.pointee.timeBase).roundedMicroseconds
            if microseconds >= first - latestMicroseconds { beginning = min(beginning, microseconds) }
        }
        return beginning
    }

    /// The time of a frame in the new video.
    private func time(of sample: SampledFrame) throws(MediaError) -> Int64 {
        let time = sample.timestamp &- shiftTicks
        guard !options.keepsMetadata else { return time }
        let seconds = Double(time) * Double(reader.info.timeBase.numerator) / Double(reader.info.timeBase.denominator)
        guard seconds <= options.limits.maximumDurationSeconds else {
            throw MediaError(
                .limitExceeded,
                "a frame is \(Int(seconds)) s after the beginning, which exceeds the limit of"
                    + " \(Int(options.limits.maximumDurationSeconds)) s",
                remedy: .raiseDurationLimit)
        }
        return max(0, time)
    }

    private func copy(_ packet: borrowing Packet, to path: String, _ container: VideoContainer) throws(MediaError) {
        if let writer { return try writer.write(copyOf: packet) }
        early.append(try Packet(sharing: packet))
        earlyBytes += Int(packet.size) + MemoryLayout<AVPacket>.size
        mostBytesWaiting = max(mostBytesWaiting, earlyBytes)
        guard earlyBytes > Self.maximumEarlyBytes else { return }
        // Without a frame, there will be no video either: the reader itself says why.
        guard let first = try Self.reader(source, options, cancellation).next() else { return earlyBytes = 0 }
        try open(path, container, like: try editable(first).frame, at: first.timestamp)
    }
}
