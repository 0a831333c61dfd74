internal import CFFmpeg
public import VidscanBase

/// A video as its container describes it, before decoding.
public struct VideoInfo: Sendable, Equatable, Codable {
    /// FFmpeg's container name: `mov,mp4,m4a,3gp,3g2,mj2`.
    public let format: String
    /// FFmpeg's codec name: `h264`.
    public let codec: String
    /// Among all streams of the container.
    public let streamIndex: Int
    public let codedSize: PictureSize
    public let timeBase: Rational
    /// On the file's own timeline; subtracted from every timestamp.
    public let containerStartMicroseconds: Int64
    /// On the same timeline.
    public let streamStartMicroseconds: Int64?
    /// As announced, on the same timeline. Sound may end later.
    package let streamEndMicroseconds: Int64?
    public let durationMicroseconds: Int64?
    /// As announced, per second. Times are computed from it only if the stream has no timestamps.
    public let frameRate: Rational

    /// FFmpeg's demuxers of single pictures are `png_pipe`, `jpeg_pipe` and so on.
    public var isPicture: Bool { format.hasSuffix("_pipe") }

    init(_ demuxer: Demuxer) {
        let stream = demuxer.stream.pointee
        let parameters = stream.codecpar.pointee
        format = String(cString: demuxer.input.pointer.pointee.iformat.pointee.name)
        (codec, streamIndex) = (stream.codec.name, Int(stream.index))
        codedSize = PictureSize(width: Int(parameters.width), height: Int(parameters.height))
        (timeBase, containerStartMicroseconds) = (demuxer.clock.timeBase, demuxer.clock.startMicroseconds)
        let fileClock = StreamClock(timeBase: demuxer.clock.timeBase, startMicroseconds: 0)
        let (start, duration) = (FFmpeg.timestamp(stream.start_time), FFmpeg.timestamp(stream.duration))
        streamStartMicroseconds = start.map(fileClock.microseconds)
        // Matroska says it in words.
        let tag = av_dict_get(stream.metadata, "DURATION", nil, 0).map { String(cString: $0.pointee.value) }
        streamEndMicroseconds =
            duration.map { fileClock.microseconds(at: (start ?? 0) &+ $0) } ?? tag.flatMap(DecimalNumber.microseconds)
        durationMicroseconds = demuxer.durationMicroseconds
        let announced = av_guess_frame_rate(demuxer.input.pointer, demuxer.stream, nil)
        frameRate = (announced.num > 0 ? announced : AVRational(num: 25, den: 1)).rational ?? .one
    }
}

package struct ReadStatistics: Sendable, Equatable, Codable {
    package var packetsDecoded = 0
    /// No sample needed them, and the decoder never got them.
    package var packetsDropped = 0
    package var framesDecoded = 0
    /// Packets and frames that the decoder found damaged.
    package var damage = 0
    /// Packets that the demuxer found damaged.
    package var corruptPackets = 0
    package var implausibleTimestamps = 0
    /// Frames earlier than a previous frame, by less than a discontinuity.
    package var framesBehind = 0
    /// Why reading ended before the end of the file, if it did.
    package var readError: String?
    package var framesWithoutTimestamp = 0
    /// Used for their times.
    package var assumesFrameRate: Rational?
    /// The display matrix matched no orientation exactly, so the nearest was used.
    package var orientationIsApproximate = false
    package var lastMicroseconds: Int64?
    /// Where the file's timestamps jump within the window, in order of time.
    package var discontinuities: [TimestampDiscontinuity] = []

    package var errors: Int { damage + corruptPackets }

    /// In words; empty without errors. `done`: what became of the frames.
    package func errorWarnings(_ done: String) -> [String] {
        guard errors > 0 else { return [] }
        return ["decoding reported \(NumberText.count(errors, "error")); the frames that could be decoded were \(done)"]
    }

    package mutating func join(_ next: ReadStatistics) {
        let counts: [WritableKeyPath<Self, Int>] = [
            \.packetsDecoded, \.packetsDropped, \.framesDecoded, \.damage, \.corruptPackets, \.implausibleTimestamps,
            \.framesBehind, \.framesWithoutTimestamp,
        ]
        for count in counts { self[keyPath: count] += next[keyPath: count] }
        readError = readError ?? next.readError
        assumesFrameRate = assumesFrameRate ?? next.assumesFrameRate
        orientationIsApproximate = orientationIsApproximate || next.orientationIsApproximate
        lastMicroseconds = [lastMicroseconds, next.lastMicroseconds].compactMap { $0 }.max()
        discontinuities += next.discontinuities
    }
}

/// Other pictures of the file that a player may show. Streams that begin late are known only at the end of the file.
extension FrameReader {
    /// Indices of videos and cover pictures.
    package var otherVideoStreams: [Int] {
        demuxer.input.streams.filter { $0 != demuxer.stream && $0.pointee.codecType == AVMEDIA_TYPE_VIDEO }
            .map { Int($0.pointee.index) }
    }

    /// Streams that may show pictures and cannot be read: `stream 2 (dvd_subtitle)`.
    package var unreadablePictures: [String] {
        demuxer.input.streams.filter { stream in
            switch stream.pointee.codecType {
            case AVMEDIA_TYPE_SUBTITLE:
                // Subtitles of an unknown format may be pictures as well.
                guard let format = avcodec_descriptor_get(stream.pointee.codec) else { return true }
                return format.pointee.props & AV_CODEC_PROP_TEXT_SUB == 0
            case AVMEDIA_TYPE_ATTACHMENT: return ![AV_CODEC_ID_TTF, AV_CODEC_ID_OTF].contains(stream.pointee.codec)
            default: return false
            }
        }.map { stream in
            let isAttachment = stream.pointee.codecType == AVMEDIA_TYPE_ATTACHMENT
            return "stream \(stream.pointee.index) (\(isAttachment ? "an attachment" : stream.pointee.codec.name))"
        }
    }
}
