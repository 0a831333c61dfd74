internal import CFFmpeg
internal import DequeModule
public import VidscanBase

/// Makes a new video of another one. The caller edits every frame; audio and subtitles are copied.
///
/// Decodes every frame in presentation order, turns it upright, passes it to the editor and encodes it with its own timestamp.
/// Packets of audio and subtitles are copied bit for bit, but without metadata the tags in them are removed. MPEG transport
/// and program streams, whose clocks start at any time, begin at 0 in the new video. Other formats keep their times. Use it
/// from one thread.
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
    /// Number of audio packets that were left out because nothing remained of them without metadata.
    public var emptyPackets: Int { writer?.emptyPackets ?? 0 }
    /// Audio and subtitle streams that are not copied because metadata cannot be removed from their codec headers:
    /// `stream 1 (wmav2)`.
    public let omittedStreams: [String]

    private let options: Options
    private let reader: FrameReader
    /// Copied streams.
    private let streams: [UnsafeMutablePointer<AVStream>]
    /// Subtracted from every timestamp.
    private let shiftMicroseconds: Int64
    private let shiftTicks: Int64
    private let compositor = Compositor()
    private let pool = FramePool()
    private var converter: EncoderInputConverter?
    private var encoder: VideoEncoder?
    private var writer: ContainerWriter?
    /// Packets of other streams that came before the first frame.
    private var early = UniqueDeque<Packet>()
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
        reader = try FrameReader(
            path: source,
            options: FrameReader.Options(
                rate: .everyFrame, streamIndex: options.streamIndex, decoderThreads: options.decoderThreads,
                skipsUnneededPackets: options.skipsUnneededPackets, limits: options.limits),
            cancellation: cancellation)
        let demuxer = reader.demuxer
        let selected = demuxer.input.streams.filter { stream in
            guard stream != demuxer.stream, stream.pointee.codec != AV_CODEC_ID_NONE else { return false }
            switch stream.pointee.codecType {
            case AVMEDIA_TYPE_AUDIO: return options.copiesAudio && stream.pointee.codecpar.pointee.sample_rate > 0
            case AVMEDIA_TYPE_SUBTITLE: return options.copiesSubtitles
            default: return false
            }
        }
        let omitted = selected.filter {
            !options.keepsMetadata && SanitizedExtradata.bytes(of: $0.pointee.codecpar.pointee) == nil
        }
        streams = selected.filter { !omitted.contains($0) }
        omittedStreams = omitted.map { "stream \($0.pointee.index) (\($0.pointee.codecName))" }
        shiftMicroseconds = demuxer.input.mayResetClock ? demuxer.clock.startMicroseconds : 0
        shiftTicks = av_rescale_q_rnd(
            shiftMicroseconds, AVRational(num: 1, den: 1_000_000), demuxer.stream.pointee.time_base, AV_ROUND_NEAR_INF)
    }

    private var streamIndices: [Int] { streams.map { Int($0.pointee.index) } }

    /// Whether the sound of the source is copied.
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
        streams.filter { !container.supports($0.pointee.codec) }.map(\.pointee.codecName)
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
        demuxer.onOtherPacket = { [unowned self] packet throws(MediaError) in try self.copy(packet) }
        defer { demuxer.onOtherPacket = nil }
        while let sample = try reader.next() {
            let editable = try editable(sample)
            editable.frame.pts = sample.timestamp - shiftTicks
            try edit(editable)
            if writer == nil { try open(path, container, like: editable.frame) }
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

    private func open(_ path: String, _ container: VideoContainer, like frame: borrowing Frame) throws(MediaError) {
        let encoder = try VideoEncoder(
            options.codec, rateFactor: options.rateFactor ?? options.codec.defaultRateFactor, like: frame,
            timeBase: reader.info.timeBase, frameRate: reader.info.frameRate)
        let writer = try ContainerWriter(
            path: path, container: container, encoder: encoder, source: reader.demuxer, streams: streamIndices,
            shiftMicroseconds: shiftMicroseconds, keepsMetadata: options.keepsMetadata)
        self.encoder = encoder
        self.writer = writer
        while let packet = early.popFirst() { try writer.write(copyOf: packet) }
    }

    private func copy(_ packet: borrowing Packet) throws(MediaError) {
        if let writer { return try writer.write(copyOf: packet) }
        early.append(try Packet(sharing: packet))
    }
}
