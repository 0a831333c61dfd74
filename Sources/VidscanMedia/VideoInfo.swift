internal import CFFmpeg
public import VidscanBase

/// What the container says of a video before any of it is decoded.
public struct VideoInfo: Sendable, Equatable, Codable {
    /// FFmpeg's name: `mov,mp4,m4a,3gp,3g2,mj2`.
    public let format: String
    /// FFmpeg's name: `h264`.
    public let codec: String
    /// Index among all the container's streams.
    public let streamIndex: Int
    public let codedSize: PictureSize
    public let timeBase: Rational
    /// The container's start, in microseconds on the file's own time line: what is subtracted from every timestamp.
    public let containerStartMicroseconds: Int64
    /// The video stream's start on the same time line.
    public let streamStartMicroseconds: Int64?
    public let durationMicroseconds: Int64?
    /// Frames a second as announced; it never makes a time unless the stream has no timestamps at all.
    public let frameRate: Rational

    init(_ demuxer: Demuxer) {
        let stream = demuxer.stream.pointee
        let parameters = stream.codecpar.pointee
        format = String(cString: demuxer.context.pointee.iformat.pointee.name)
        codec = String(cString: avcodec_get_name(parameters.codec_id))
        streamIndex = Int(stream.index)
        codedSize = PictureSize(width: Int(parameters.width), height: Int(parameters.height))
        timeBase = demuxer.clock.timeBase
        containerStartMicroseconds = demuxer.clock.startMicroseconds
        streamStartMicroseconds = Libav.timestamp(stream.start_time).map {
            StreamClock(timeBase: demuxer.clock.timeBase, startMicroseconds: 0).microseconds(at: $0)
        }
        durationMicroseconds = demuxer.durationMicroseconds
        let guessed = av_guess_frame_rate(demuxer.context, demuxer.stream, nil)
        frameRate =
            guessed.num > 0 ? Rational(Int64(guessed.num), Int64(guessed.den)) ?? .one : Rational(25, 1) ?? .one
    }
}

/// What reading a video came to.
public struct ReadStatistics: Sendable, Equatable, Codable {
    public var packetsDecoded = 0
    /// Packets that nothing wanted needed, and that the decoder never saw.
    public var packetsDropped = 0
    public var framesDecoded = 0
    /// Packets and frames that the decoder found damaged.
    public var damage = 0
    /// Packets that the demuxer found damaged.
    public var corruptPackets = 0
    public var implausibleTimestamps = 0
    /// Frames whose time lies before that of an earlier one, by less than what makes a discontinuity.
    public var framesBehind = 0
    /// Why reading ended before the end of the file, if it did.
    public var readError: String?
    /// Set when the stream had no timestamps and times were made from this rate.
    public var assumesFrameRate: Rational?
    /// The display matrix was none of the eight orientations; the nearest was taken.
    public var orientationIsApproximate = false
    public var lastMicroseconds: Int64?
    /// Where the file's timestamps jump, in order of time; those within the window.
    public var discontinuities: [TimestampDiscontinuity] = []

    public init() {}

    /// Adds what came of reading the part of the same video that follows.
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
