internal import CFFmpeg
public import VidscanBase

/// Makes a new video of another one: every picture passes through an editor's hands, sound and subtitles are copied.
///
/// Decodes every frame in presentation order, turns it upright, lets it be edited and encodes it with its own timestamp.
/// Packets of sound and subtitles are copied bit for bit; without metadata, tags inside them are removed. MPEG transport and program streams, whose clocks start anywhere,
/// begin at 0 in the new video; everything else keeps its times. Use it from one thread.
public final class VideoRewriter {
    public struct Options: Sendable {
        public var codec: VideoCodec
        /// `nil` takes the codec's default.
        public var rateFactor: Double?
        /// Of the new video in pixels; `nil` keeps the display's.
        public var height: Int?
        public var copiesAudio: Bool
        public var copiesSubtitles: Bool
        /// Titles, places, dates, captions: what the file says of itself, in its container, its codecs' headers and beside
        /// its pictures.
        public var keepsMetadata: Bool
        /// Index among all the container's streams; `nil` takes the best video stream.
        public var streamIndex: Int?
        public var decoderThreads: Int
        /// As in `FrameReader.Options`.
        public var passesOver: Bool
        public var limits: MediaLimits

        public init(
            codec: VideoCodec = .h264, rateFactor: Double? = nil, height: Int? = nil, copiesAudio: Bool = true,
            copiesSubtitles: Bool = true, keepsMetadata: Bool = true, streamIndex: Int? = nil, decoderThreads: Int = 2,
            passesOver: Bool = false, limits: MediaLimits = MediaLimits()
        ) {
            self.codec = codec
            self.rateFactor = rateFactor
            self.height = height
            self.copiesAudio = copiesAudio
            self.copiesSubtitles = copiesSubtitles
            self.keepsMetadata = keepsMetadata
            self.streamIndex = streamIndex
            self.decoderThreads = decoderThreads
            self.passesOver = passesOver
            self.limits = limits
        }
    }

    public var info: VideoInfo { reader.info }
    public var statistics: ReadStatistics { reader.statistics }
    /// Frames written.
    public private(set) var frameCount = 0
    /// Frames whose timestamp was not after the one before; they were put one tick after it.
    public private(set) var movedFrames = 0

    private let options: Options
    private let reader: FrameReader
    /// Packets of sound that were left out, because metadata is not kept and they held nothing that is known to be sound.
    public var emptyPackets: Int { writer?.emptyPackets ?? 0 }
    private let streams: [Int]
    /// Streams of sound and subtitles that are not copied, because metadata is not kept and their codec's header cannot be
    /// cleaned of it: `stream 1 (wmav2)`.
    public let uncleanStreams: [String]
    /// Microseconds taken off every timestamp.
    private let shiftMicroseconds: Int64
    private let shiftTicks: Int64
    private let blender = PatchBlender()
    private var converter: UprightConverter?
    private var encoder: VideoEncoder?
    private var writer: ContainerWriter?
    /// Packets of other streams that came before the first picture.
    private let early = PacketQueue()
    /// Waits for the next one to know how long it lasts.
    private var pending: EditablePicture?
    private var lastDuration: Int64 = 0

    /// Opens the source.
    ///
    /// - Throws: `MediaError` with the reason why there is no video to read.
    public init(
        source: String, options: Options, cancellation: CancellationFlag = CancellationFlag()
    ) throws(MediaError) {
        self.options = options
        reader = try FrameReader(
            path: source,
            options: FrameReader.Options(
                rate: .everyFrame, streamIndex: options.streamIndex, decoderThreads: options.decoderThreads,
                passesOver: options.passesOver, limits: options.limits),
            cancellation: cancellation)
        let demuxer = reader.demuxer
        let wanted = (0..<Int(demuxer.context.pointee.nb_streams)).filter { index in
            guard let stream = demuxer.context.pointee.streams[index], stream != demuxer.stream else { return false }
            let parameters = stream.pointee.codecpar.pointee
            guard parameters.codec_id != AV_CODEC_ID_NONE else { return false }
            switch parameters.codec_type {
            case AVMEDIA_TYPE_AUDIO: return options.copiesAudio && parameters.sample_rate > 0
            case AVMEDIA_TYPE_SUBTITLE: return options.copiesSubtitles
            default: return false
            }
        }
        let unclean = wanted.filter { index in
            guard !options.keepsMetadata, let stream = demuxer.context.pointee.streams[index] else { return false }
            return PlaybackHeader.bytes(of: stream.pointee.codecpar.pointee) == nil
        }
        streams = wanted.filter { !unclean.contains($0) }
        uncleanStreams = unclean.compactMap { index in
            guard let id = demuxer.context.pointee.streams[index]?.pointee.codecpar.pointee.codec_id else { return nil }
            return "stream \(index) (\(String(cString: avcodec_get_name(id))))"
        }
        let startsAnywhere = demuxer.context.pointee.iformat.pointee.flags & AVFMT_TS_DISCONT != 0
        shiftMicroseconds = startsAnywhere ? demuxer.clock.startMicroseconds : 0
        shiftTicks = av_rescale_q_rnd(
            shiftMicroseconds, AVRational(num: 1, den: 1_000_000), demuxer.stream.pointee.time_base, AV_ROUND_NEAR_INF)
    }

    /// Streams of subtitles that are not copied.
    public var subtitlesLeftOut: Int {
        let context = reader.demuxer.context
        return (0..<Int(context.pointee.nb_streams)).count { index in
            context.pointee.streams[index]?.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_SUBTITLE
                && !streams.contains(index)
        }
    }

    /// Names of the codecs of what is copied that a container does not hold; empty when it holds all.
    public func codecsNotHeld(by container: VideoContainer) -> [String] {
        let demuxer = reader.demuxer
        return streams.compactMap { index in
            guard let id = demuxer.context.pointee.streams[index]?.pointee.codecpar.pointee.codec_id else { return nil }
            return container.holds(id) ? nil : String(cString: avcodec_get_name(id))
        } + (options.codec == .ffv1 && container == .mp4 ? ["ffv1"] : [])
    }

    /// MP4 if it holds all that is copied, else MKV; MOV where only that does.
    public var preferredContainer: VideoContainer {
        let order: [VideoContainer] = [.mp4, .mkv, .mov]
        return order.first { codecsNotHeld(by: $0).isEmpty } ?? .mkv
    }

    /// Reads, edits and writes the whole video.
    ///
    /// - Parameters:
    ///   - path: of the new file; one that is there is overwritten. It is whole only when this returns.
    ///   - edit: is given every picture in presentation order.
    /// - Throws: `MediaError`, or what `edit` throws.
    public func run(
        to path: String, container: VideoContainer, edit: (EditablePicture) throws -> Void
    ) throws {
        let demuxer = reader.demuxer
        demuxer.keep(streams: streams)
        demuxer.onOtherPacket = { [unowned self] packet throws(MediaError) in try self.pass(packet) }
        defer { demuxer.onOtherPacket = nil }
        while let sample = try reader.next() {
            let converter =
                converter
                ?? UprightConverter(
                    displaySize: sample.geometry.displaySize, height: options.height,
                    keepsMetadata: options.keepsMetadata, keepsCaptions: options.copiesSubtitles)
            self.converter = converter
            let frame = try converter.convert(sample)
            frame.pointee.pts = sample.timestamp - shiftTicks
            let picture = EditablePicture(
                frame: frame, contentSize: converter.contentSize, sample: sample, blender: blender)
            try edit(picture)
            if writer == nil { try open(path, container, like: frame) }
            try enter(picture)
        }
        try finish()
    }

    /// Takes a picture in, and encodes the one before it, which now has a duration.
    private func enter(_ picture: EditablePicture) throws(MediaError) {
        if let pending {
            let last = pending.frame.pointee.pts
            if picture.frame.pointee.pts <= last {
                picture.frame.pointee.pts = last + 1
                movedFrames += 1
            }
            lastDuration = picture.frame.pointee.pts - last
            try encode(pending, duration: lastDuration)
        }
        pending = picture
    }

    private func encode(_ picture: EditablePicture, duration: Int64) throws(MediaError) {
        frameCount += 1
        try encoder?.encode(picture.frame, duration: duration) { packet throws(MediaError) in
            try writer?.write(video: packet)
        }
    }

    private func finish() throws(MediaError) {
        if let pending {
            try encode(pending, duration: lastFrameDuration(pending.frame))
            self.pending = nil
        }
        try encoder?.encode(nil, duration: 0) { packet throws(MediaError) in
            try writer?.write(video: packet)
        }
        try writer?.finish()
    }

    /// The last frame lasts until the stream's announced end; where that is not said, as long as itself or the frame
    /// before it says.
    private func lastFrameDuration(_ frame: UnsafeMutablePointer<AVFrame>) -> Int64 {
        let stream = reader.demuxer.stream.pointee
        if let start = Libav.timestamp(stream.start_time), let duration = Libav.timestamp(stream.duration), duration > 0
        {
            let left = start &+ duration &- shiftTicks &- frame.pointee.pts
            if left > 0, left <= 4 * max(lastDuration, vs_frame_duration(frame)) { return left }
        }
        let own = vs_frame_duration(frame)
        return own > 0 ? own : lastDuration
    }

    private func open(
        _ path: String, _ container: VideoContainer, like frame: UnsafeMutablePointer<AVFrame>
    ) throws(MediaError) {
        let encoder = try VideoEncoder(
            options.codec, rateFactor: options.rateFactor ?? options.codec.defaultRateFactor, like: frame,
            timeBase: reader.info.timeBase, frameRate: reader.info.frameRate, globalHeader: true)
        let writer = try ContainerWriter(
            path: path, container: container, encoder: encoder, source: reader.demuxer, streams: streams,
            shiftMicroseconds: shiftMicroseconds, keepsMetadata: options.keepsMetadata)
        self.encoder = encoder
        self.writer = writer
        while let packet = early.removeFirst() {
            defer { PacketQueue.free(packet) }
            try writer.write(copyOf: packet)
        }
    }

    private func pass(_ packet: UnsafeMutablePointer<AVPacket>) throws(MediaError) {
        if let writer { return try writer.write(copyOf: packet) }
        guard let copy = av_packet_clone(packet) else { throw MediaError(.io, Libav.message(Libav.outOfMemory)) }
        early.append(copy)
    }
}
