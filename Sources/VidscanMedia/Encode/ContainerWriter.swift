internal import CFFmpeg
internal import Glibc
internal import VidscanBase

package enum VideoContainer: String, Sendable, CaseIterable {
    case mp4, mov, mkv

    package init?(path: String) { self.init(rawValue: FilePath.fileExtension(of: path)) }

    var formatName: String { self == .mkv ? "matroska" : rawValue }

    /// The codecs in MP4 that players support, which are fewer than those that the format allows.
    private static let mp4Codecs = Set(words: "aac mp3 mp2 ac3 eac3 opus flac alac mov_text")

    func supports(_ codec: AVCodecID) -> Bool {
        if self == .mp4 { return Self.mp4Codecs.contains(codec.name) }
        guard let format = av_guess_format(formatName, nil, nil) else { return false }
        return avformat_query_codec(format, codec, FF_COMPLIANCE_NORMAL) == 1
    }

    func supports(_ codec: VideoCodec) -> Bool {
        self == .mkv || !(self == .mp4 ? [.ffv1] : [.vp9, .av1]).contains(codec)
    }
}

final class ContainerWriter {
    private let output: OutputContext
    private let keepsMetadata: Bool
    private let latestMicroseconds: Int64
    private var misplacedPackets = 0
    private var copies: [Int32: CopiedStream] = [:]
    /// The last video packet. Its duration is final when another packet follows.
    private let held: Packet
    private var firstDecoding, firstPresentation, endPresentation: Int64?
    private let encoder: VideoEncoder

    private struct CopiedStream {
        let stream: Stream
        let sourceTimeBase: AVRational
        /// Subtracted from every timestamp.
        let shift: Int64
        let sound: SoundEncoder?
        /// As written, and the latest one of the source.
        var lastDecoding, latest: Int64?
    }

    /// `keepsMetadata`: `false` keeps only frames, sound and subtitles of the source, and encodes the sound again.
    /// `latestMicroseconds`: without metadata, drops later packets.
    init(
        path: String, container: VideoContainer, encoder: VideoEncoder, source: Demuxer, streams: [Stream],
        shiftMicroseconds: Int64, keepsMetadata: Bool, latestMicroseconds: Int64
    ) throws(MediaError) {
        output = try OutputContext(path: path, container: container)
        held = try Packet()
        (self.encoder, self.keepsMetadata, self.latestMicroseconds) = (encoder, keepsMetadata, latestMicroseconds)
        try addVideo(source.stream)
        for stream in streams { try add(stream, container, shiftMicroseconds: shiftMicroseconds) }
        if keepsMetadata {
            av_dict_copy(&output.pointer.pointee.metadata, source.input.pointer.pointee.metadata, 0)
            // These describe the container of the source.
            for key in ["major_brand", "minor_version", "compatible_brands", "encoder"] {
                av_dict_set(&output.pointer.pointee.metadata, key, nil, 0)
            }
        }
        // Edit lists store the start of each stream in this unit, by default a millisecond.
        let rates = streams.map { Int64($0.pointee.codecpar.pointee.sample_rate) }.filter { $0 > 0 }
        var options: OpaquePointer?
        defer { av_dict_free(&options) }
        if container != .mkv {
            let timescale = Self.movieTimescale(video: encoder.context.time_base, audio: rates)
            av_dict_set(&options, "movflags", "+faststart", 0)
            av_dict_set_int(&options, "movie_timescale", timescale, 0)
        }
        try output.open(path: path, options: &options)
    }

    func encode(_ frame: UnsafeMutablePointer<AVFrame>?, duration: Int64 = 0) throws(MediaError) {
        try encoder.encode(frame, duration: duration) { packet throws(MediaError) in try hold(packet) }
    }

    private func hold(_ packet: borrowing Packet) throws(MediaError) {
        try writeHeld()
        av_packet_move_ref(held.pointer, packet.pointer)
        let (presentation, decoding) = (held.pts, held.dts)
        firstDecoding = firstDecoding ?? decoding
        firstPresentation = min(firstPresentation ?? presentation, presentation)
        endPresentation = max(endPresentation ?? presentation, presentation + held.duration)
    }

    private func writeHeld() throws(MediaError) {
        guard held.size > 0, let stream = output.pointer.pointee.streams[0] else { return }
        try write(held, in: encoder.context.time_base, to: stream)
    }

    private func write(_ packet: borrowing Packet, in timeBase: AVRational, to stream: Stream) throws(MediaError) {
        packet.stream_index = stream.pointee.index
        av_packet_rescale_ts(packet.pointer, timeBase, stream.pointee.time_base)
        try output.write(packet)
    }

    func write(copyOf packet: borrowing Packet) throws(MediaError) {
        guard var copy = copies[packet.stream_index] else { return }
        let copied = try Packet(sharing: packet)
        copied.presentation = copied.presentation.map { $0 &- copy.shift }
        copied.decoding = copied.decoding.map { $0 &- copy.shift }
        guard keepsMetadata || isPlausible(copied, copy) else {
            misplacedPackets += 1
            return
        }
        if let sound = copy.sound {
            copied.presentation = copied.presentation ?? copied.decoding
            copied.decoding = nil
            return try sound.encode(copied) { packet throws(MediaError) in
                try write(packet, in: sound.context.time_base, to: copy.stream)
            }
        }
        if !keepsMetadata { av_packet_free_side_data(copied.pointer) }
        copied.stream_index = copy.stream.pointee.index
        copied.pos = -1
        av_packet_rescale_ts(copied.pointer, copy.sourceTimeBase, copy.stream.pointee.time_base)
        // Damaged packets may go back in time, repeat a time or have none, which few containers accept.
        var decoding = copied.decoding ?? copied.presentation
        if let time = decoding {
            // Sound before a jump of the timestamps may outlast its picture. Leave out what overlaps it, so that the rest
            // stays in sync.
            let behind = copy.latest.map { $0 &- time &- max(1, FFmpeg.plausible(duration: copied.duration)) } ?? -1
            let isSound = copy.stream.pointee.codecType == AVMEDIA_TYPE_AUDIO
            if isSound, (0...copy.stream.pointee.ticks(microseconds: 10_000_000)).contains(behind) { return }
            copy.latest = max(copy.latest ?? time, time)
        }
        if let last = copy.lastDecoding {
            let next = output.pointer.pointee.oformat.pointee.flags & AVFMT_TS_NONSTRICT == 0 ? last &+ 1 : last
            decoding = max(decoding ?? next, next)
        }
        copied.dts = decoding ?? 0
        copied.pts = max(copied.presentation ?? copied.dts, copied.dts)
        copy.lastDecoding = copied.dts
        copies[packet.stream_index] = copy
        if try !output.write(copied, toleratesDamage: true) { misplacedPackets += 1 }
    }

    /// Whether a packet lies in the new video. A time far outside would reveal the date. Sound may be cut at the beginning.
    private func isPlausible(_ packet: borrowing Packet, _ copy: CopiedStream) -> Bool {
        guard let time = packet.presentation ?? packet.decoding else { return copy.sound != nil }
        let microseconds = TimestampInBase(time, copy.sourceTimeBase.rational ?? .one).roundedMicroseconds
        return ((copy.sound == nil ? 0 : -latestMicroseconds)...latestMicroseconds).contains(microseconds)
    }

    var soundCodecs: Set<String> { Set(copies.values.compactMap { $0.sound?.context.codec_id.name.uppercased() }) }
    var omittedPackets: Int { copies.values.reduce(misplacedPackets) { $0 + ($1.sound?.damageCount ?? 0) } }

    func finish() throws(MediaError) {
        try encode(nil)
        // MP4 derives the duration from decoding times, so the last packet must extend to the end of the last shown frame.
        if held.size > 0, let firstDecoding, let firstPresentation, let endPresentation {
            let remaining = endPresentation - firstPresentation - (held.dts - firstDecoding)
            if remaining > 0 { held.duration = remaining }
        }
        try writeHeld()
        for index in copies.keys.sorted() {
            guard let copy = copies[index], let sound = copy.sound else { continue }
            try sound.finish { packet throws(MediaError) in
                try write(packet, in: sound.context.time_base, to: copy.stream)
            }
        }
        try output.finish()
    }

    private func addVideo(_ original: Stream) throws(MediaError) {
        guard let stream = avformat_new_stream(output.pointer, nil) else { throw .outOfMemory }
        avcodec_parameters_from_context(stream.pointee.codecpar, encoder.context.pointer)
        stream.pointee.time_base = encoder.context.time_base
        stream.pointee.avg_frame_rate = encoder.context.framerate
        stream.pointee.sample_aspect_ratio = encoder.context.sample_aspect_ratio
        stream.pointee.disposition = original.pointee.disposition & AV_DISPOSITION_DEFAULT
        if keepsMetadata { Self.copyLanguageAndTitle(from: original, to: stream) }
    }

    private func add(_ original: Stream, _ container: VideoContainer, shiftMicroseconds: Int64) throws(MediaError) {
        guard let stream = avformat_new_stream(output.pointer, nil) else { throw .outOfMemory }
        stream.pointee.time_base = original.pointee.time_base
        stream.pointee.disposition = original.pointee.disposition
        let isSound = original.pointee.codecType == AVMEDIA_TYPE_AUDIO
        var sound: SoundEncoder?
        if keepsMetadata {
            guard avcodec_parameters_copy(stream.pointee.codecpar, original.pointee.codecpar) >= 0
            else { throw .outOfMemory }
            // Codec tags differ between containers.
            stream.pointee.codecpar.pointee.codec_tag = 0
            stream.pointee.sample_aspect_ratio = original.pointee.sample_aspect_ratio
            stream.pointee.avg_frame_rate = original.pointee.avg_frame_rate
            Self.copyLanguageAndTitle(from: original, to: stream)
        } else {
            stream.pointee.disposition &= AV_DISPOSITION_DEFAULT | AV_DISPOSITION_FORCED
            if !isSound {
                try MetadataStripper.describe(original.pointee.codecpar.pointee, in: stream.pointee.codecpar)
            }
        }
        if isSound, !keepsMetadata || !container.supports(original.pointee.codec) {
            let encoder = try SoundEncoder(original, container: container)
            avcodec_parameters_from_context(stream.pointee.codecpar, encoder.context.pointer)
            stream.pointee.time_base = encoder.context.time_base
            sound = encoder
        }
        copies[original.pointee.index] = CopiedStream(
            stream: stream, sourceTimeBase: original.pointee.time_base,
            shift: original.pointee.ticks(microseconds: shiftMicroseconds), sound: sound)
    }

    private static func copyLanguageAndTitle(from source: Stream, to target: Stream) {
        for key in ["language", "title"] {
            guard let entry = av_dict_get(source.pointee.metadata, key, nil, 0) else { continue }
            av_dict_set(&target.pointee.metadata, key, entry.pointee.value, 0)
        }
    }

    /// A timescale in which the ticks of all streams are whole numbers, as far as 31 bits allow.
    static func movieTimescale(video: AVRational, audio: [Int64]) -> Int64 {
        var scale = max(1, Int64(video.den))
        // The muxer refines a coarse timescale in the same way.
        while scale < 10_000 { scale *= 2 }
        for rate in audio {
            let common = scale / av_gcd(scale, rate) * rate
            if common <= Int64(Int32.max) { scale = common }
        }
        return min(scale, Int64(Int32.max))
    }
}

struct OutputContext: ~Copyable {
    let pointer: UnsafeMutablePointer<AVFormatContext>

    init(path: String, container: VideoContainer) throws(MediaError) {
        var allocated: UnsafeMutablePointer<AVFormatContext>?
        let result = avformat_alloc_output_context2(&allocated, nil, container.formatName, "file:" + path)
        guard result >= 0, let allocated else {
            throw MediaError(.io, "cannot write \(container.rawValue) files: \(FFmpeg.message(result))")
        }
        pointer = allocated
        // Without random numbers and versions, the same run writes the same bytes.
        pointer.pointee.flags |= AVFMT_FLAG_BITEXACT
        // FLAC in MP4 is experimental in FFmpeg 5.
        pointer.pointee.strict_std_compliance = FF_COMPLIANCE_EXPERIMENTAL
    }

    deinit {
        avio_closep(&pointer.pointee.pb)
        avformat_free_context(pointer)
    }

    /// Creates the file and writes its header. Add all streams first.
    func open(path: String, options: inout OpaquePointer?) throws(MediaError) {
        FFmpeg.beginErrors()
        try check(avio_open(&pointer.pointee.pb, "file:" + path, AVIO_FLAG_WRITE), "create")
        try check(avformat_write_header(pointer, &options), "begin")
    }

    /// Takes over the packet's data, which may wait for packets of other streams. Returns whether it could be written.
    @discardableResult
    func write(_ packet: borrowing Packet, toleratesDamage: Bool = false) throws(MediaError) -> Bool {
        FFmpeg.beginErrors()
        let result = av_interleaved_write_frame(pointer, packet.pointer)
        let isDamaged = toleratesDamage && [vs_averror_invalid_data(), vs_averror_not_implemented()].contains(result)
        if !isDamaged { try check(result, "write") }
        // A full disk may show only in the byte stream.
        try check(pointer.pointee.pb?.pointee.error ?? 0, "write")
        return !isDamaged
    }

    func finish() throws(MediaError) {
        FFmpeg.beginErrors()
        try check(av_write_trailer(pointer), "write")
        try check(avio_closep(&pointer.pointee.pb), "write")
    }

    private func check(_ result: Int32, _ verb: String) throws(MediaError) {
        guard result < 0 else { return }
        let isFull = result == vs_averror(ENOSPC) || result == vs_averror(EDQUOT)
        throw MediaError(isFull ? .diskFull : .io, "cannot \(verb) the video: \(FFmpeg.reason(result))")
    }
}
