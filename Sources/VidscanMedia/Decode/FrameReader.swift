internal import CFFmpeg
internal import DequeModule
package import VidscanBase

/// Reads the sampled frames of one video, in presentation order: plans which packets the samples need, decodes these and
/// selects the frames of the sampling grid. Use it from one thread.
package final class FrameReader {
    package let info: VideoInfo
    package private(set) var statistics = ReadStatistics()
    /// `nil` before the first sample and without filters.
    package private(set) var filtering: FilterOutcome?

    let demuxer: Demuxer
    private let decoder: VideoDecoder
    private var disposable: DisposableFrameDetector
    private let fields: FieldDetector?
    /// Packets to read before the first decision.
    private var lookahead: Int
    private var reportedDiscontinuities = 0
    /// Discontinuities at or before the last frame.
    private var epoch = 0
    private let options: Options
    private let grid: SampleGrid
    private let streamOrientation: Orientation?
    private var plan: SamplePlan
    private var selector: FrameSelector
    private var numbering = PresentationIndex()
    private var planned = UniqueDeque<Packet>()
    private var isInputAtEnd = false, isDraining = false
    private var packetAfterDrain: Packet?
    private var skipsAfterDrain = false
    private var sequence = 0
    private var assumedTimestamp, latestTimestamp: Int64?
    private let filter: FrameFilter?
    private var filterInputs: Deque<Moment> = []
    /// Whether a frame at or after the end of the window was decoded or, if there are filters, filtered.
    private var isPastEnd = false

    private typealias Moment = SampledFrame.Moment

    /// - Parameter cancellation: ends the current call with the code `cancelled`.
    package init(path: String, options: Options, cancellation: CancellationFlag = .init()) throws(MediaError) {
        let demuxer = try Demuxer(
            path: path, streamIndex: options.streamIndex, limits: options.limits, cancellation: cancellation)
        (self.demuxer, self.options) = (demuxer, options)
        info = VideoInfo(demuxer)
        let (size, maximumPixels) = (info.codedSize, options.limits.maximumPixels)
        guard size.width * size.height <= maximumPixels, size.isDecodable || size.width * size.height == 0 else {
            throw .frameTooLarge(size, limit: maximumPixels)
        }
        let window = try options.window(duration: demuxer.durationMicroseconds)
        grid = SampleGrid(rate: options.rate, clock: demuxer.clock, start: window.start, end: window.end)
        let threads = options.threads(for: size)
        decoder = try VideoDecoder(stream: demuxer.stream, limits: options.limits, threads: threads)
        disposable = DisposableFrameDetector(demuxer.stream.pointee.codecpar.pointee)
        fields = FieldDetector(demuxer.stream.pointee.codecpar)
        // The first frames of HEVC show the temporal sub-layers if the parameter sets do not.
        lookahead = demuxer.stream.pointee.codec == AV_CODEC_ID_HEVC ? 32 : 0
        filter = options.filters.map { [info, grid] in
            FrameFilter(
                $0, grid: grid, frameRate: info.frameRate, threads: threads, maximumPixels: maximumPixels,
                cancellation: cancellation)
        }
        // Filters with memory need every frame from the first one on.
        let maySkip =
            demuxer.randomAccess.allowsSkipping && options.skipsUnneededPackets
            // Keyframes of the colours need not be keyframes of the transparency.
            && !demuxer.stream.pointee.isTransparent && options.filters?.needsEveryFrame != true
        plan = SamplePlan(grid: grid, allowsSkipping: maySkip)
        selector = FrameSelector(grid: grid)
        let matrix = vs_stream_display_matrix(demuxer.stream).flatMap(Orientation.nearest(toDisplay:))
        streamOrientation = matrix?.orientation
        statistics.orientationIsApproximate = matrix.map { !$0.isExact } ?? false
        if maySkip, let start = window.start, let landing = try demuxer.seek(toFrameBefore: start) {
            numbering = PresentationIndex(base: landing.frames)
            enter(landing.packet)
        }
    }

    /// How many frames the file has that an edit list hides from players, as after trimming without encoding again.
    package func framesHiddenByEditList(path: String, _ cancellation: CancellationFlag) throws(MediaError) -> Int {
        let all = try InputContext(path: path, cancellation: cancellation, ignoresEditLists: true)
        guard let stream = all.streams.first(where: { $0.pointee.index == info.streamIndex }) else { return 0 }
        return all.indexedFrames(stream) - demuxer.input.indexedFrames(demuxer.stream)
    }

    /// Whether the coded frame extends so far beyond the picture's edges that it can show something. Coding adds less.
    package var hasHiddenEdges: Bool { decoder.croppedPixels >= 64 }

    /// Returns `nil` at the end of the video or of the window. Throws when no frame could be decoded.
    package func next() throws(MediaError) -> SampledFrame? {
        while true {
            if let sample = try nextFiltered() { return sample }
            guard !isPastEnd else {
                try finish()
                return nil
            }
            switch try decoder.receive() {
            case .frame(let frame, let isDamaged):
                if let sample = try select(frame, isDamaged: isDamaged) { return sample }
            case .needsPacket: try feed()
            case .ended:
                guard let packet = packetAfterDrain.take() else {
                    try filter?.flush()
                    if let sample = try nextFiltered() { return sample }
                    try finish()
                    return nil
                }
                isDraining = false
                decoder.flush()
                try send(packet, skipUnreferenced: skipsAfterDrain)
            }
        }
    }

    private func feed() throws(MediaError) {
        while lookahead > 0, !isInputAtEnd, !plan.isFull {
            try readPacket()
            lookahead -= 1
        }
        while true {
            guard let action = plan.next(atEnd: isInputAtEnd) else {
                if isInputAtEnd { return try drain() }
                try readPacket()
                continue
            }
            guard let packet = planned.popFirst() else { continue }
            switch action {
            case .drop: statistics.packetsDropped += 1
            case .decode(let afterGap): return try send(packet, skipUnreferenced: false, afterGap: afterGap)
            case .decodeIfReferenced(let afterGap):
                let skips = disposable.isSkippableByDecoder(packet)
                return try send(packet, skipUnreferenced: skips, afterGap: afterGap)
            }
        }
    }

    private func drain() throws(MediaError) {
        guard !isDraining else { return }
        isDraining = true
        try decoder.end()
    }

    private func send(_ packet: consuming Packet, skipUnreferenced: Bool, afterGap: Bool) throws(MediaError) {
        guard afterGap, demuxer.randomAccess.needsFlushAfterGap else {
            return try send(packet, skipUnreferenced: skipUnreferenced)
        }
        packetAfterDrain = consume packet
        skipsAfterDrain = skipUnreferenced
        try drain()
    }

    private func send(_ packet: borrowing Packet, skipUnreferenced: Bool) throws(MediaError) {
        statistics.packetsDecoded += 1
        try decoder.send(packet, isReference: disposable.isReference(packet), skipUnreferenced: skipUnreferenced)
    }

    private func readPacket() throws(MediaError) {
        guard !plan.isPastEnd, let packet = try demuxer.read() else {
            isInputAtEnd = true
            if !plan.isPastEnd { statistics.readError = demuxer.readError }
            return
        }
        enter(packet)
        // Reports those within the window, so that all segments' reports add up to the whole video's.
        let found = demuxer.discontinuities
        statistics.discontinuities += found.dropFirst(reportedDiscontinuities).filter {
            $0.microseconds >= grid.start ?? .min && $0.microseconds < grid.end ?? .max
        }
        reportedDiscontinuities = found.count
    }

    /// Of a frame, or of a packet that no sample may need.
    private func noteTime(_ microseconds: Int64) {
        statistics.lastMicroseconds = max(statistics.lastMicroseconds ?? microseconds, microseconds)
    }

    private func enter(_ packet: consuming Packet) {
        disposable.note(packet)
        let structure = fields?.structure(of: packet) ?? .frame
        // A plan for one field would have to hold for the other one too.
        if structure != .frame { plan.distrust() }
        // VP8 stores hidden reference frames as packets of their own (RFC 6386, 9.1).
        let isVP8 = demuxer.stream.pointee.codec == AV_CODEC_ID_VP8
        let isHiddenReference = isVP8 && packet.bytes.first.map { $0 & 0x10 == 0 } == true
        let isHidden = packet.has(AV_PKT_FLAG_DISCARD) || structure == .secondField || isHiddenReference
        let summary = PacketSummary(
            presentation: packet.presentation, decoding: packet.decoding,
            isRandomAccessPoint: demuxer.randomAccess.isRandomAccessPoint(packet),
            isDisposable: disposable.isDisposable(packet), isHidden: isHidden, byteCount: Int(packet.size))
        // In a file copied from AVI, presentation timestamps are decoding timestamps; only the decoder knows the order.
        let delay = demuxer.stream.pointee.codecpar.pointee.video_delay
        if delay > 0, summary.isRandomAccessPoint, summary.presentation == summary.decoding { plan.distrust() }
        if packet.has(AV_PKT_FLAG_CORRUPT), summary.presentation.map(grid.isInWindow) ?? true {
            statistics.corruptPackets += 1
        }
        if !isHidden, let presentation = summary.presentation, grid.clock.isPlausible(presentation) {
            numbering.insert(presentation)
            noteTime(grid.clock.microseconds(at: presentation))
            if filter?.chain.needsEveryFrame != true { selector.skip(presentation) }
        }
        plan.push(summary)
        planned.append(packet)
    }

    private func select(_ frame: consuming Frame, isDamaged: Bool) throws(MediaError) -> SampledFrame? {
        statistics.framesDecoded += 1
        let stamp = FFmpeg.timestamp(frame.best_effort_timestamp)
        let index = numbering.index(of: stamp)
        let own = stamp ?? assumed(index: index)
        assumedTimestamp = own
        guard grid.clock.isPlausible(own) else {
            statistics.implausibleTimestamps += 1
            return nil
        }
        // A player shows a late frame at once; its clock does not go back.
        let timestamp = max(own, latestTimestamp ?? own)
        if own < timestamp { statistics.framesBehind += 1 }
        latestTimestamp = timestamp
        let microseconds = grid.clock.microseconds(at: timestamp)
        let moment = (index, timestamp, microseconds, isDamaged)
        noteTime(microseconds)
        isPastEnd = filter == nil && grid.end.map { grid.clock.isAtOrAfter($0, timestamp) } == true
        guard filter?.chain.needsEveryFrame == true || selector.selects(timestamp) else { return nil }
        try checkSize(frame)
        // Grey pictures have the full range, though only some decoders say so.
        if info.isPicture, frame.color_range == AVCOL_RANGE_UNSPECIFIED,
            (frame.pixelFormat.descriptor?.nb_components ?? 3) < 3
        {
            frame.color_range = AVCOL_RANGE_JPEG
        }
        let geometry = geometry(of: frame)
        guard let filter else { return sample(frame, moment, geometry) }
        frame.sample_aspect_ratio = pixelAspect(of: frame)
        filterInputs.append(moment)
        try filter.push(frame, timestamp: timestamp, geometry: geometry)
        return nil
    }

    private func checkSize(_ frame: borrowing Frame) throws(MediaError) {
        let (size, limit) = (frame.size, options.limits.maximumPixels)
        guard size.width > 0, size.height > 0, size.width * size.height <= limit else {
            throw .frameTooLarge(size, limit: limit)
        }
    }

    private func sample(_ frame: consuming Frame, _ moment: Moment, _ geometry: DisplayGeometry) -> SampledFrame {
        defer { sequence += 1 }
        let discontinuities = demuxer.discontinuities
        while epoch < discontinuities.count, discontinuities[epoch].microseconds <= moment.microseconds { epoch += 1 }
        return SampledFrame(frame: frame, sequence: sequence, moment: moment, epoch: epoch, geometry: geometry)
    }

    private func nextFiltered() throws(MediaError) -> SampledFrame? {
        guard let filter else { return nil }
        while let frame = try filter.next() {
            guard filter.chain.needsEveryFrame else {
                guard let moment = filterInputs.popFirst() else { continue }
                return try filteredSample(frame, moment)
            }
            let clock = grid.clock.withTimeBase(frame.time_base.rational ?? grid.clock.timeBase)
            guard let timestamp = FFmpeg.timestamp(frame.pts), clock.isPlausible(timestamp) else { continue }
            if let end = grid.end, clock.isAtOrAfter(end, timestamp) {
                isPastEnd = true
                return nil
            }
            selector.grid = SampleGrid(rate: grid.rate, clock: clock, start: grid.start, end: grid.end)
            guard selector.selects(timestamp) else { continue }
            let microseconds = clock.microseconds(at: timestamp)
            while filterInputs.count > 1, filterInputs[1].microseconds <= microseconds { filterInputs.removeFirst() }
            let shown = filterInputs.first
            return try filteredSample(frame, (shown?.index ?? 0, timestamp, microseconds, shown?.isDamaged ?? false))
        }
        return nil
    }

    private func filteredSample(_ frame: consuming Frame, _ moment: Moment) throws(MediaError) -> SampledFrame {
        try checkSize(frame)
        let geometry = DisplayGeometry(
            codedSize: frame.size, pixelAspect: frame.sample_aspect_ratio.rational ?? .one, orientation: .upright)
        if filtering == nil, let filter {
            guard filter.toSource != nil || !options.needsMapToSource else {
                throw MediaError(
                    .filter, "no video can be drawn: the filters move frames or what they show in unknown ways")
            }
            filtering = FilterOutcome(
                sourceSize: filter.sourceSize, filteredSize: geometry.displaySize, toSource: filter.toSource)
        }
        return sample(frame, moment, geometry)
    }

    /// For a frame without a timestamp: the previous one's plus the announced duration of a frame.
    private func assumed(index: Int64) -> Int64 {
        let (rate, base) = (info.frameRate, grid.clock.timeBase)
        statistics.assumesFrameRate = rate
        statistics.framesWithoutTimestamp += 1
        let ticks = { (count: Int64) -> Int64 in
            Int64(
                clamping: Int128(count) * Int128(rate.denominator) * Int128(base.denominator)
                    / (Int128(max(1, rate.numerator)) * Int128(max(1, base.numerator))))
        }
        guard let last = assumedTimestamp, index > 0 else { return grid.clock.timestamp(atOrBefore: 0) &+ ticks(index) }
        return last &+ max(1, ticks(index) - ticks(index - 1))
    }

    private func pixelAspect(of frame: borrowing Frame) -> AVRational {
        av_guess_sample_aspect_ratio(demuxer.input.pointer, demuxer.stream, frame.pointer)
    }

    private func geometry(of frame: borrowing Frame) -> DisplayGeometry {
        let own = vs_frame_display_matrix(frame.pointer).flatMap(Orientation.nearest(toDisplay:))
        return DisplayGeometry(
            codedSize: frame.size, pixelAspect: pixelAspect(of: frame).rational ?? .one,
            orientation: own?.orientation ?? streamOrientation ?? .upright)
    }

    private func finish() throws(MediaError) {
        statistics.damage = decoder.damageCount
        // Other segments may have frames when this one has none.
        guard statistics.framesDecoded == 0, options.segment == nil, grid.start == nil,
            grid.end == nil || decoder.lastError != nil
        else { return }
        let failure = (decoder.lastError ?? statistics.readError).map { "no frame could be decoded: \($0)" }
        throw MediaError(.undecodable, failure ?? "has a video stream without frames")
    }
}

extension FrameReader {
    package struct Options: Sendable {
        package var rate: SampleGrid.Rate
        /// Of the window, in microseconds since the container's start; `nil` is the beginning.
        package var start: Int64?
        /// Exclusive; `nil` is the end.
        package var end: Int64?
        package var segment: VideoSegment?
        /// Among all streams of the container, as in ffprobe; `nil` selects the best video stream.
        package var streamIndex: Int?
        /// `nil` chooses by frame size.
        package var decoderThreads: Int?
        /// Skips packets that no sample needs. The samples are the same either way.
        package var skipsUnneededPackets: Bool
        package var limits: MediaLimits
        package var filters: FilterChain?
        /// Throws if it is unknown how the filters move the frames or what they show.
        package var needsMapToSource = false

        package init(
            rate: SampleGrid.Rate, start: Int64? = nil, end: Int64? = nil, segment: VideoSegment? = nil,
            streamIndex: Int? = nil, decoderThreads: Int? = nil, skipsUnneededPackets: Bool = true,
            limits: MediaLimits = MediaLimits(), filters: FilterChain? = nil
        ) {
            (self.rate, self.start, self.end, self.segment) = (rate, start, end, segment)
            (self.streamIndex, self.decoderThreads) = (streamIndex, decoderThreads)
            (self.skipsUnneededPackets, self.limits, self.filters) = (skipsUnneededPackets, limits, filters)
        }

        /// Threads wait for each other's frames: three keep two cores busy. Each holds frames, so large ones get fewer.
        func threads(for size: PictureSize) -> Int {
            max(1, decoderThreads ?? (size.width * size.height <= 1920 * 1088 ? 3 : 2))
        }

        /// `duration` is the container's, in microseconds. Without it, a segment throws `noDuration`.
        func window(duration: Int64?) throws(MediaError) -> (start: Int64?, end: Int64?) {
            guard let segment else { return (start, end) }
            guard let window = segment.window(start: start, end: end, duration: duration) else {
                throw MediaError(.noDuration, "has no known duration, so it cannot be divided into segments")
            }
            return window
        }
    }

    /// How the filters change the first sampled frame.
    package struct FilterOutcome: Sendable, Equatable, Codable {
        /// Upright, with square pixels.
        package let sourceSize, filteredSize: PictureSize
        /// From display pixels of the filtered frame to those of the source; `nil` if unknown.
        package let toSource: AffineTransform?
    }
}
