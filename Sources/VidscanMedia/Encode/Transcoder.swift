internal import CFFmpeg
internal import DequeModule
package import VidscanBase

/// Makes a new video from another one. The caller edits every frame; packets of audio and subtitles are copied bit for bit,
/// except that sound is encoded again where the container cannot contain it.
///
/// Timestamps stay, except that MPEG transport and program streams, whose clocks start at any time, begin at 0.
///
/// Without metadata, sound is encoded again, because its packets may say anything about the source, and every video begins at
/// 0, because clocks may reveal the date of the recording. Use it from one thread.
package final class Transcoder {
    package struct Options: Sendable {
        package var codec = VideoCodec.h264
        /// `nil` selects the codec's default.
        package var rateFactor: Double?
        /// In pixels; `nil` keeps the display height.
        package var height: Int?
        package var copiesAudio = true, copiesSubtitles = true
        /// The new video can be in any of these.
        package var containers = VideoContainer.allCases
        /// Titles, locations, dates and other metadata, in the container, codec headers and frames.
        package var keepsMetadata = true
        package var reading = FrameReader.Options(rate: .everyFrame, decoderThreads: 2, skipsUnneededPackets: false)

        package init(rateFactor: Double? = nil) { self.rateFactor = rateFactor }
    }

    package var info: VideoInfo { reader.info }
    package var statistics: ReadStatistics { reader.statistics }
    package private(set) var frameCount = 0
    /// Frames moved to one tick after the previous one, because their timestamps were not later.
    package private(set) var movedFrames = 0
    /// Sound and subtitle packets left out because they are damaged or their time is implausible.
    package var omittedPackets: Int { writer?.omittedPackets ?? 0 }
    /// Codecs of the sound encoded again: `AAC`.
    package var soundCodecs: [String] { writer?.soundCodecs.sorted() ?? [] }
    /// Other video streams, and audio and subtitle streams that cannot be written, or not without metadata, and why:
    /// `stream 1 (xma1): this FFmpeg has no decoder for it`.
    package let omittedStreams: [String]
    /// How long after the source container's start the new video begins.
    package var startMicroseconds: Int64 {
        options.keepsMetadata || writer == nil ? 0 : shiftMicroseconds - info.containerStartMicroseconds
    }
    /// Peak bytes of other streams that waited for the first frame.
    package private(set) var mostBytesWaiting = 0

    private let options: Options
    private let source: String
    private let cancellation: CancellationFlag
    private let reader: FrameReader
    private let streams: [Stream]
    /// Subtracted from every timestamp.
    private var shiftMicroseconds: Int64 = 0
    private var shiftTicks: Int64 { reader.demuxer.stream.pointee.ticks(microseconds: shiftMicroseconds) }
    private var converter: EncoderInputConverter?
    private var writer: ContainerWriter?
    private var early = UniqueDeque<Packet>()
    private var earlyBytes = 0
    /// Sound may begin long before the picture. When more than this waits, a second reader gets the first frame.
    private static let maximumEarlyBytes = 4 << 20
    /// How far before the first frame, in microseconds, an announced start counts if no packet of that stream has come yet.
    private static let maximumHeadStart: Int64 = 10_000_000
    /// Its duration is known when the next frame comes.
    private var pending: EditableFrame?
    private var lastDuration: Int64 = 0

    package init(source: String, options: Options, cancellation: CancellationFlag = .init()) throws(MediaError) {
        (self.options, self.source, self.cancellation) = (options, source, cancellation)
        reader = try FrameReader(path: source, options: options.reading, cancellation: cancellation)
        let demuxer = reader.demuxer
        let selected = demuxer.input.streams.filter { stream in
            guard stream != demuxer.stream, stream.pointee.codec != AV_CODEC_ID_NONE else { return false }
            switch stream.pointee.codecType {
            case AVMEDIA_TYPE_AUDIO: return options.copiesAudio
            case AVMEDIA_TYPE_SUBTITLE: return options.copiesSubtitles
            default: return false
            }
        }
        var omitted: [String] = []
        streams = selected.filter { stream in
            guard let reason = Self.obstacle(stream, options) else { return true }
            omitted.append("stream \(stream.pointee.index) (\(stream.pointee.codec.name)): \(reason)")
            return false
        }
        for stream in demuxer.input.streams where stream != demuxer.stream && stream.pointee.isVideo {
            omitted.append("stream \(stream.pointee.index) (\(stream.pointee.codec.name)): another video stream")
        }
        omittedStreams = omitted
    }

    /// Why a stream cannot be written, copied or encoded again.
    private static func obstacle(_ stream: Stream, _ options: Options) -> String? {
        if stream.pointee.isUnheard { return "no sound was found in it" }
        let supports = { (container: VideoContainer) in container.supports(stream.pointee.codec) }
        if options.keepsMetadata, options.containers.contains(where: supports) { return nil }
        guard stream.pointee.codecType == AVMEDIA_TYPE_AUDIO else {
            if options.keepsMetadata { return "neither MP4, MKV nor MOV can contain it" }
            let isClean = MetadataStripper.extradata(of: stream.pointee.codecpar.pointee) != nil
            return isClean ? nil : "its codec header may describe the source, and cannot be cleaned"
        }
        do throws(MediaError) {
            _ = try SoundEncoder(stream, container: .mp4)
            return nil
        } catch { return error.reason }
    }

    private var maximumSeconds: Double { options.reading.limits.maximumDurationSeconds }
    private var latestMicroseconds: Int64 { Int64(min(maximumSeconds * 1e6, 1e18)) }
    package var soundTracks: Int { count(AVMEDIA_TYPE_AUDIO) }
    package var copiesSubtitles: Bool { count(AVMEDIA_TYPE_SUBTITLE) > 0 }
    private func count(_ type: AVMediaType) -> Int { streams.count { $0.pointee.codecType == type } }

    package var subtitlesLeftOut: Int {
        reader.demuxer.input.streams.count { $0.pointee.codecType == AVMEDIA_TYPE_SUBTITLE && !streams.contains($0) }
    }

    package func unsupportedCodecs(in container: VideoContainer, copiesSound: Bool = false) -> [String] {
        streams.filter { $0.pointee.codecType != AVMEDIA_TYPE_AUDIO || copiesSound && options.keepsMetadata }
            .filter { !container.supports($0.pointee.codec) }.map(\.pointee.codec.name)
            + (container.supports(options.codec) ? [] : [options.codec.rawValue])
    }

    package var preferredContainer: VideoContainer {
        let order: [VideoContainer] = [.mp4, .mkv, .mov]
        return order.first { unsupportedCodecs(in: $0, copiesSound: true).isEmpty }
            ?? order.first { unsupportedCodecs(in: $0).isEmpty } ?? .mkv
    }

    /// The file is complete only when this returns. `edit` gets every frame in presentation order.
    package func run(to path: String, container: VideoContainer, edit: (EditableFrame) throws -> Void) throws {
        let demuxer = reader.demuxer
        demuxer.read(streams: streams)
        demuxer.onOtherPacket = { [unowned self] packet throws(MediaError) in try copy(packet, to: path, container) }
        defer { demuxer.onOtherPacket = nil }
        while let sample = try reader.next() {
            let editable = try editable(sample)
            if writer == nil { try open(path, container, like: editable.frame, at: sample.moment.timestamp) }
            editable.frame.pts = try time(of: sample)
            try edit(editable)
            try enter(editable)
        }
        try enter(nil)
        try writer?.finish()
    }

    /// Edits and encodes a picture, without metadata. Throws if the source does not contain exactly one picture.
    package func picture(as format: PictureFormat, edit: (EditableFrame) throws -> Void) throws -> [UInt8] {
        guard let sample = try reader.next() else { throw MediaError(.noVideo, "contains no picture") }
        let editable = try editable(sample)
        let size = converter?.contentSize ?? editable.size
        try edit(editable)
        frameCount = 1
        guard try reader.next() == nil else {
            throw MediaError(.undecodable, "contains several pictures, but only one would be written")
        }
        return try PictureEncoder.encode(editable.frame, size: size, as: format)
    }

    private func editable(_ sample: SampledFrame) throws(MediaError) -> EditableFrame {
        let converter = converter ?? EncoderInputConverter(displaySize: sample.geometry.displaySize, options)
        self.converter = converter
        return try converter.convert(sample)
    }

    /// Encodes the previous frame. `nil` ends the video.
    private func enter(_ editable: EditableFrame?) throws(MediaError) {
        if let pending {
            let last = pending.frame.pts
            if let editable, editable.frame.pts <= last {
                editable.frame.pts = last + 1
                movedFrames += 1
            }
            lastDuration = editable.map { $0.frame.pts - last } ?? lastFrameDuration(pending.frame)
            frameCount += 1
            try writer?.encode(pending.frame.pointer, duration: lastDuration)
        }
        pending = editable
    }

    /// Until the announced end of the stream, otherwise the frame's own duration or the previous one's.
    private func lastFrameDuration(_ frame: borrowing Frame) -> Int64 {
        let stream = reader.demuxer.stream.pointee
        let own = FFmpeg.plausible(duration: vs_frame_duration(frame.pointer))
        if let start = FFmpeg.timestamp(stream.start_time), let length = FFmpeg.timestamp(stream.duration), length > 0 {
            let remaining = start &+ length &- shiftTicks &- frame.pts
            if remaining > 0, remaining <= 4 * max(lastDuration, own) { return remaining }
        }
        return own > 0 ? own : lastDuration
    }

    private func open(
        _ path: String, _ container: VideoContainer, like frame: borrowing Frame, at timestamp: Int64
    ) throws(MediaError) {
        let demuxer = reader.demuxer
        if !options.keepsMetadata {
            shiftMicroseconds = beginning(firstFrame: timestamp)
        } else if demuxer.input.mayResetClock {
            shiftMicroseconds = demuxer.clock.startMicroseconds
        }
        let encoder = try VideoEncoder(
            options.codec, rateFactor: options.rateFactor ?? options.codec.defaultRateFactor, like: frame,
            timeBase: reader.info.timeBase, frameRate: reader.info.frameRate)
        let writer = try ContainerWriter(
            path: path, container: container, encoder: encoder, source: demuxer, streams: streams,
            shiftMicroseconds: shiftMicroseconds, keepsMetadata: options.keepsMetadata,
            latestMicroseconds: latestMicroseconds)
        self.writer = writer
        while let packet = early.popFirst() { try writer.write(copyOf: packet) }
        earlyBytes = 0
    }

    /// The earliest time to write, in microseconds. Ignores other streams, whose clocks may reveal the date, packets long before
    /// the first frame, and announced starts without packets unless close to that frame.
    private func beginning(firstFrame timestamp: Int64) -> Int64 {
        let first = TimestampInBase(timestamp, reader.info.timeBase).roundedMicroseconds
        let announced = streams.compactMap { $0.pointee.start?.roundedMicroseconds }
        var beginning = announced.filter { $0 > first - Self.maximumHeadStart }.reduce(first, min)
        for position in early.indices where !early[position].has(AV_PKT_FLAG_DISCARD) {
            guard let stream = streams.first(where: { $0.pointee.index == early[position].stream_index }),
                let time = early[position].presentation ?? early[position].decoding
            else { continue }
            let microseconds = TimestampInBase(time, stream.pointee.timeBase).roundedMicroseconds
            if microseconds >= first - latestMicroseconds { beginning = min(beginning, microseconds) }
        }
        return beginning
    }

    private func time(of sample: SampledFrame) throws(MediaError) -> Int64 {
        let time = sample.moment.timestamp &- shiftTicks
        guard !options.keepsMetadata else { return time }
        let seconds = Double(time) * Double(reader.info.timeBase.numerator) / Double(reader.info.timeBase.denominator)
        guard seconds <= maximumSeconds else {
            throw MediaError(
                .limitExceeded,
                "a frame is \(Int(seconds)) s after the beginning, beyond the limit of \(Int(maximumSeconds)) s",
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
        // Without a frame there is no video; the reader itself says why.
        let second = try FrameReader(path: source, options: options.reading, cancellation: cancellation)
        guard let first = try second.next() else { return earlyBytes = 0 }
        try open(path, container, like: try editable(first).frame, at: first.moment.timestamp)
    }
}
