internal import CFFmpeg
public import VidscanBase

/// Reads the sampled frames of one video, in presentation order.
///
/// Demuxes, plans on packets, decodes what must be decoded and takes what the grid asks for. Use it from one thread.
public final class FrameReader {
    public let info: VideoInfo
    public private(set) var statistics = ReadStatistics()
    /// `nil` until the first sample, and without filters.
    public private(set) var filtering: Filtering?

    let demuxer: Demuxer
    private let decoder: VideoDecoder
    private let restart: RestartPoint
    private var dispensability: Dispensability
    private let fields: FieldPictures?
    /// How many packets are read before the first decision.
    private var lookAhead: Int
    private var notedDiscontinuities = 0
    /// Discontinuities at or before the last frame.
    private var epoch = 0
    private let grid: SampleGrid
    /// Others may have frames when this one has none.
    private let isPart: Bool
    private let streamMatrix: Orientation?
    private let maximumPixels: Int
    private var plan: SamplePlan
    private var selector: FrameSelector
    private var numbering: PresentationIndex
    /// Packets that the plan holds, oldest first.
    private let held: PacketQueue
    private var isInputAtEnd = false
    private var isDraining = false
    /// A packet that waits while the decoder is emptied before it starts anew.
    private var packetAfterDrain: (packet: UnsafeMutablePointer<AVPacket>, skipUnreferenced: Bool)?
    private var sequence = 0
    private var assumedTimestamp: Int64?
    /// Of the frames so far.
    private var latestTimestamp: Int64?
    private let filter: FrameFilter?
    /// When each of the last frames that went into the filters is shown, and its number.
    private var frameNumbers: [(microseconds: Int64, index: Int64)] = []
    private var sourceGeometry: DisplayGeometry?

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - path: of a regular file.
    ///   - cancellation: ends any call that is under way, with the code `cancelled`.
    /// - Throws: `MediaError` with the reason why there is no video to read.
    public init(
        path: String, options: Options, cancellation: CancellationFlag = CancellationFlag()
    ) throws(MediaError) {
        let demuxer = try Demuxer(
            path: path, streamIndex: options.streamIndex, limits: options.limits, cancellation: cancellation)
        let parameters = demuxer.stream.pointee.codecpar.pointee
        guard Int(parameters.width) * Int(parameters.height) <= options.limits.maximumPixels else {
            throw .pictureTooLarge(
                Int(parameters.width), Int(parameters.height), limit: options.limits.maximumPixels)
        }
        let window = try options.window(duration: demuxer.durationMicroseconds)
        grid = SampleGrid(rate: options.rate, clock: demuxer.clock, start: window.start, end: window.end)
        isPart = options.segment != nil
        self.demuxer = demuxer
        decoder = try VideoDecoder(
            stream: demuxer.stream, limits: options.limits, threads: max(1, options.decoderThreads))
        restart = demuxer.restart
        dispensability = Dispensability(parameters)
        fields = FieldPictures(demuxer.stream.pointee.codecpar)
        // HEVC's first pictures show which temporal sub-layers there are, should the parameter sets not say it.
        lookAhead = parameters.codec_id == AV_CODEC_ID_HEVC ? Self.layerLookAhead : 0
        info = VideoInfo(demuxer)
        filter = options.filters.map { [grid, info] in
            FrameFilter(
                $0, grid: grid, frameRate: info.frameRate, threads: max(1, options.decoderThreads),
                maximumPixels: options.limits.maximumPixels)
        }
        // Filters that remember need all that came before, from the first frame on.
        let mayPass = restart.mayPass && options.passesOver && options.filters?.needsEveryFrame != true
        plan = SamplePlan(grid: grid, mayPass: mayPass)
        selector = FrameSelector(grid: grid)
        maximumPixels = options.limits.maximumPixels
        let matrix = vs_stream_display_matrix(demuxer.stream).flatMap(DisplayMatrix.orientation)
        streamMatrix = matrix?.orientation
        statistics.orientationIsApproximate = matrix.map { !$0.isExact } ?? false
        held = PacketQueue()
        var skippedFrames: Int64 = 0
        if mayPass, let start = window.start {
            skippedFrames = try SeekPlanner(demuxer: demuxer).seek(before: start, into: held)
        }
        numbering = PresentationIndex(base: skippedFrames)
        for packet in held { enter(packet) }
    }

    deinit {
        if let pending = packetAfterDrain { PacketQueue.free(pending.packet) }
    }

    /// The next sampled frame.
    ///
    /// - Returns: `nil` at the end of the video or of the window.
    /// - Throws: `MediaError`, when nothing of the video could be decoded, or with the code `cancelled`.
    public func next() throws(MediaError) -> SampledFrame? {
        while true {
            switch try nextFiltered() {
            case .sample(let sample): return sample
            case .beyondEnd: return nil
            case .none: break
            }
            switch try decoder.receive() {
            case .frame(let frame):
                if let sample = try take(frame) { return sample }
            case .needsPacket:
                try feed()
            case .ended:
                guard let pending = packetAfterDrain else {
                    try filter?.flush()
                    if case .sample(let sample) = try nextFiltered() { return sample }
                    try finish()
                    return nil
                }
                packetAfterDrain = nil
                isDraining = false
                decoder.flush()
                try send(pending.packet, skipUnreferenced: pending.skipUnreferenced)
            }
        }
    }

    // MARK: Packets

    private static let layerLookAhead = 32

    /// Gives the decoder one packet that it needs, or the end.
    private func feed() throws(MediaError) {
        while lookAhead > 0, !isInputAtEnd, !plan.isFull {
            try readPacket()
            lookAhead -= 1
        }
        while true {
            guard let action = plan.next(atEnd: isInputAtEnd) else {
                if isInputAtEnd {
                    guard !isDraining else { return }
                    isDraining = true
                    return try decoder.send(nil, skipUnreferenced: false)
                }
                try readPacket()
                continue
            }
            guard let packet = held.removeFirst() else { continue }
            switch action {
            case .drop:
                PacketQueue.free(packet)
                statistics.packetsDropped += 1
                continue
            case .decode(let afterGap):
                return try pass(packet, skipUnreferenced: false, afterGap: afterGap)
            case .decodeIfReferenced(let afterGap):
                return try pass(
                    packet, skipUnreferenced: dispensability.mayLeaveToDecoder(packet.pointee), afterGap: afterGap)
            }
        }
    }

    private func pass(
        _ packet: UnsafeMutablePointer<AVPacket>, skipUnreferenced: Bool, afterGap: Bool
    ) throws(MediaError) {
        guard afterGap, restart.needsFlushAfterGap else {
            return try send(packet, skipUnreferenced: skipUnreferenced)
        }
        packetAfterDrain = (packet, skipUnreferenced)
        isDraining = true
        try decoder.send(nil, skipUnreferenced: false)
    }

    private func send(_ packet: UnsafeMutablePointer<AVPacket>, skipUnreferenced: Bool) throws(MediaError) {
        defer { PacketQueue.free(packet) }
        statistics.packetsDecoded += 1
        try decoder.send(packet, skipUnreferenced: skipUnreferenced)
    }

    private func readPacket() throws(MediaError) {
        if plan.isPastEnd {
            isInputAtEnd = true
            return
        }
        let packet = try PacketQueue.allocate()
        do {
            guard try demuxer.read(into: packet) else {
                isInputAtEnd = true
                statistics.readError = demuxer.readError
                PacketQueue.free(packet)
                return
            }
        } catch {
            PacketQueue.free(packet)
            throw error
        }
        held.append(packet)
        enter(packet)
        noteDiscontinuities()
    }

    /// Those within the window: what each part of a video reports adds up to what a whole run does.
    private func noteDiscontinuities() {
        let found = demuxer.discontinuities
        while notedDiscontinuities < found.count {
            let microseconds = found[notedDiscontinuities].microseconds
            if microseconds >= grid.start ?? .min, microseconds < grid.end ?? .max {
                statistics.discontinuities.append(found[notedDiscontinuities])
            }
            notedDiscontinuities += 1
        }
    }

    /// Enters a packet into the plan and into the numbering of frames.
    private func enter(_ packet: UnsafeMutablePointer<AVPacket>) {
        dispensability.note(packet.pointee)
        let structure = fields?.structure(of: packet.pointee) ?? .frame
        // What is planned for one field would have to hold for the other.
        if structure != .frame { plan.distrust() }
        let shows =
            structure != .secondField
            && restart.showsFrame(packet.pointee, codec: decoder.context.pointee.codec_id)
        let summary = PacketSummary(
            presentation: Libav.timestamp(packet.pointee.pts),
            decoding: Libav.timestamp(packet.pointee.dts),
            isRestartPoint: restart.isRestartPoint(packet.pointee),
            isDisposable: dispensability.isDisposable(packet.pointee),
            isHidden: packet.pointee.flags & AV_PKT_FLAG_DISCARD != 0 || !shows,
            byteCount: Int(packet.pointee.size))
        if packet.pointee.flags & AV_PKT_FLAG_CORRUPT != 0 { statistics.corruptPackets += 1 }
        if !summary.isHidden, let presentation = summary.presentation, grid.clock.isPlausible(presentation) {
            numbering.enter(presentation)
            if filter?.needsEveryFrame != true { selector.note(presentation) }
        }
        plan.push(summary)
    }

    // MARK: Frames

    /// Decides on a decoded frame; frees it unless it is a sample.
    private func take(_ frame: UnsafeMutablePointer<AVFrame>) throws(MediaError) -> SampledFrame? {
        var owned: UnsafeMutablePointer<AVFrame>? = frame
        defer { av_frame_free(&owned) }
        statistics.framesDecoded += 1
        let stamp = Libav.timestamp(frame.pointee.best_effort_timestamp)
        let index = numbering.index(of: stamp)
        let own = stamp ?? assumed(index: index)
        assumedTimestamp = own
        guard grid.clock.isPlausible(own) else {
            statistics.implausibleTimestamps += 1
            return nil
        }
        // A player shows a frame that comes too late at once; its clock does not go back.
        let timestamp = max(own, latestTimestamp ?? own)
        if own < timestamp { statistics.framesBehind += 1 }
        latestTimestamp = timestamp
        let microseconds = grid.clock.microseconds(at: timestamp)
        statistics.lastMicroseconds = max(statistics.lastMicroseconds ?? microseconds, microseconds)
        if let filter, filter.needsEveryFrame {
            try checkSize(frame)
            owned = nil
            frameNumbers.append((microseconds, index))
            try filter.push(frame, timestamp: timestamp, geometry: prepared(frame))
            return nil
        }
        guard selector.takes(timestamp) else { return nil }
        try checkSize(frame)
        owned = nil
        guard let filter else {
            return sample(
                frame, index: index, timestamp: timestamp, microseconds: microseconds, geometry: geometry(of: frame))
        }
        let filtered = try filter.apply(frame, timestamp: timestamp, geometry: prepared(frame))
        return try filteredSample(filtered, index: index, timestamp: timestamp, microseconds: microseconds)
    }

    private func checkSize(_ frame: UnsafeMutablePointer<AVFrame>) throws(MediaError) {
        let (width, height) = (Int(frame.pointee.width), Int(frame.pointee.height))
        guard width > 0, height > 0, width * height <= maximumPixels else {
            throw .pictureTooLarge(width, height, limit: maximumPixels)
        }
    }

    private func sample(
        _ frame: UnsafeMutablePointer<AVFrame>, index: Int64, timestamp: Int64, microseconds: Int64,
        geometry: DisplayGeometry
    ) -> SampledFrame {
        defer { sequence += 1 }
        let discontinuities = demuxer.discontinuities
        while epoch < discontinuities.count, discontinuities[epoch].microseconds <= microseconds { epoch += 1 }
        return SampledFrame(
            frame: frame, sequence: sequence, index: index, timestamp: timestamp, microseconds: microseconds,
            epoch: epoch, geometry: geometry)
    }

    // MARK: Filters

    private enum Filtered {
        case sample(SampledFrame)
        /// All that is wanted has come out.
        case beyondEnd
        case none
    }

    /// The next sample among the pictures that have come out of a chain that is given every frame.
    private func nextFiltered() throws(MediaError) -> Filtered {
        guard let filter, filter.needsEveryFrame else { return .none }
        while let output = filter.pop() {
            var owned: UnsafeMutablePointer<AVFrame>? = output.frame
            defer { av_frame_free(&owned) }
            let clock = grid.clock.withTimeBase(output.timeBase)
            guard let timestamp = output.timestamp, clock.isPlausible(timestamp) else { continue }
            if let end = grid.end, clock.isAtOrAfter(end, timestamp) { return .beyondEnd }
            selector.grid = SampleGrid(rate: grid.rate, clock: clock, start: grid.start, end: grid.end)
            guard selector.takes(timestamp) else { continue }
            owned = nil
            let microseconds = clock.microseconds(at: timestamp)
            // The number of the frame that is shown at that time.
            while frameNumbers.count > 1, frameNumbers[1].microseconds <= microseconds { frameNumbers.removeFirst() }
            return .sample(
                try filteredSample(
                    output.frame, index: frameNumbers.first?.index ?? 0, timestamp: timestamp,
                    microseconds: microseconds))
        }
        return .none
    }

    /// Gives a frame that goes into the filters the shape of pixels that the container says it has.
    private func prepared(_ frame: UnsafeMutablePointer<AVFrame>) -> DisplayGeometry {
        frame.pointee.sample_aspect_ratio = av_guess_sample_aspect_ratio(demuxer.context, demuxer.stream, frame)
        let geometry = geometry(of: frame)
        sourceGeometry = geometry
        return geometry
    }

    /// Takes a picture that came out of the filters.
    private func filteredSample(
        _ frame: UnsafeMutablePointer<AVFrame>, index: Int64, timestamp: Int64, microseconds: Int64
    ) throws(MediaError) -> SampledFrame {
        do {
            try checkSize(frame)
        } catch {
            FrameFilter.free(frame)
            throw error
        }
        let aspect = frame.pointee.sample_aspect_ratio
        let geometry = DisplayGeometry(
            codedSize: PictureSize(width: Int(frame.pointee.width), height: Int(frame.pointee.height)),
            pixelAspect: Rational(Int64(aspect.num), Int64(aspect.den)) ?? .one, orientation: .upright)
        if filtering == nil, let sourceGeometry {
            filtering = Filtering(
                sourceSize: sourceGeometry.displaySize, filteredSize: geometry.displaySize, toSource: filter?.toSource)
        }
        return sample(
            frame, index: index, timestamp: timestamp, microseconds: microseconds, geometry: geometry)
    }

    /// A timestamp for a frame that has none: the previous one's plus a frame's duration, as the stream announces it.
    private func assumed(index: Int64) -> Int64 {
        statistics.assumesFrameRate = info.frameRate
        let rate = info.frameRate
        let base = grid.clock.timeBase
        let ticks = { (count: Int64) -> Int64 in
            Int64(
                clamping: Int128(count) * Int128(rate.denominator) * Int128(base.denominator)
                    / (Int128(max(1, rate.numerator)) * Int128(max(1, base.numerator))))
        }
        guard let last = assumedTimestamp, index > 0 else { return ticks(index) }
        return last &+ max(1, ticks(index) - ticks(index - 1))
    }

    private func geometry(of frame: UnsafeMutablePointer<AVFrame>) -> DisplayGeometry {
        let own = vs_frame_display_matrix(frame).flatMap(DisplayMatrix.orientation)
        let aspect = av_guess_sample_aspect_ratio(demuxer.context, demuxer.stream, frame)
        return DisplayGeometry(
            codedSize: PictureSize(width: Int(frame.pointee.width), height: Int(frame.pointee.height)),
            pixelAspect: Rational(Int64(aspect.num), Int64(aspect.den)) ?? .one,
            orientation: own?.orientation ?? streamMatrix ?? .upright)
    }

    private func finish() throws(MediaError) {
        statistics.damage = decoder.damageCount
        guard statistics.framesDecoded == 0, !isPart, grid.start == nil, grid.end == nil || decoder.lastError != nil
        else { return }
        let reason = decoder.lastError ?? statistics.readError
        throw MediaError(
            .undecodable,
            reason.map { "not one frame could be decoded: \($0)" } ?? "holds a video stream without a single frame")
    }
}
