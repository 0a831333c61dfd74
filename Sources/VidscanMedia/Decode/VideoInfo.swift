internal import CFFmpeg
public import VidscanBase

/// What the container announces about a video, before anything is decoded.
public struct VideoInfo: Sendable, Equatable, Codable {
    /// FFmpeg's name of the container format: `mov,mp4,m4a,3gp,3g2,mj2`.
    public let format: String
    /// FFmpeg's name of the codec: `h264`.
    public let codec: String
    /// Index among all streams of the container.
    public let streamIndex: Int
    public let codedSize: PictureSize
    public let timeBase: Rational
    /// The container's start in microseconds on the file's own timeline. It is subtracted from every timestamp.
    public let containerStartMicroseconds: Int64
    /// The video stream's start in microseconds on the same timeline.
    public let streamStartMicroseconds: Int64?
    public let durationMicroseconds: Int64?
    /// Frames per second, as announced. Times are computed from it only if the stream has no timestamps.
    public let frameRate: Rational

    /// Whether the file is a picture, by its format: FFmpeg's demuxers of single picture files are `png_pipe`,
    /// `jpeg_pipe` and so on.
    public var isPicture: Bool { format.hasSuffix("_pipe") }

    init(_ demuxer: Demuxer) {
        let stream = demuxer.stream.pointee
        let parameters = stream.codecpar.pointee
        format = String(cString: demuxer.input.pointer.pointee.iformat.pointee.name)
        codec = String(cString: avcodec_get_name(parameters.codec_id))
        streamIndex = Int(stream.index)
        codedSize = PictureSize(width: Int(parameters.width), height: Int(parameters.height))
        timeBase = demuxer.clock.timeBase
        containerStartMicroseconds = demuxer.clock.startMicroseconds
        streamStartMicroseconds = FFmpeg.timestamp(stream.start_time).map {
            StreamClock(timeBase: demuxer.clock.timeBase, startMicroseconds: 0).microseconds(at: $0)
        }
        durationMicroseconds = demuxer.durationMicroseconds
        let announced = av_guess_frame_rate(demuxer.input.pointer, demuxer.stream, nil)
        frameRate = (announced.num > 0 ? announced : AVRational(num: 25, den: 1)).rational ?? .one
    }
}

/// Counts and findings from reading a video.
public struct ReadStatistics: Sendable, Equatable, Codable {
    public var packetsDecoded = 0
    /// Packets that no sample needed and that the decoder never got.
    public var packetsDropped = 0
    public var framesDecoded = 0
    /// Packets and frames that the decoder found damaged.
    public var damage = 0
    /// Packets that the demuxer found damaged.
    public var corruptPackets = 0
    public var implausibleTimestamps = 0
    /// Frames with a time before that of an earlier frame, by less than a discontinuity.
    public var framesBehind = 0
    /// Why reading ended before the end of the file, if it did.
    public var readError: String?
    /// The frame rate from which times were computed, if the stream had no timestamps.
    public var assumesFrameRate: Rational?
    /// Whether the display matrix was none of the eight orientations, so that the nearest one was used.
    public var orientationIsApproximate = false
    public var lastMicroseconds: Int64?
    /// Positions within the window at which the timestamps in the file jump, in order of time.
    public var discontinuities: [TimestampDiscontinuity] = []

    public init() {}

    /// Adds the statistics of the segment that follows in the same video.
    public mutating func join(_ next: ReadStatistics) {
        packetsDecoded += next.packetsDecoded
        packetsDropped += next.packetsDropped
        framesDecoded += next.framesDecoded
        damage += next.damage
        corruptPackets += next.corruptPackets
        implausibleTimestamps += next.implausibleTimestamps
        framesBehind += next.framesBehind
        readError = readError ?? next.readError
        assumesFrameRate = assumesFrameRate ?? next.assumesFrameRate
        orientationIsApproximate = orientationIsApproximate || next.orientationIsApproximate
        lastMicroseconds = [lastMicroseconds, next.lastMicroseconds].compactMap { $0 }.max()
        discontinuities += next.discontinuities
    }
}
