public import VidscanBase

extension FrameReader {
    public struct Options: Sendable {
        public var rate: SampleGrid.Rate
        /// Start of the window in microseconds since the container's start; `nil` is the beginning.
        public var start: Int64?
        /// End of the window in microseconds since the container's start, exclusive; `nil` is the end.
        public var end: Int64?
        /// Reads only this segment of the window.
        public var segment: VideoSegment?
        /// Index among all streams of the container, as in ffprobe; `nil` selects the best video stream.
        public var streamIndex: Int?
        /// The number of decoder threads; `nil` chooses it by the size of the frames.
        ///
        /// Use the same number on every machine, because the frames that a decoder makes of damaged data may depend on it.
        public var decoderThreads: Int?
        /// Whether packets that no sample needs are skipped. The samples are the same either way.
        public var skipsUnneededPackets: Bool
        public var limits: MediaLimits
        /// Filters for every sampled frame.
        public var filters: FilterChain?

        public init(
            rate: SampleGrid.Rate, start: Int64? = nil, end: Int64? = nil, segment: VideoSegment? = nil,
            streamIndex: Int? = nil, decoderThreads: Int? = nil,
            skipsUnneededPackets: Bool = true,
            limits: MediaLimits = MediaLimits(), filters: FilterChain? = nil
        ) {
            self.rate = rate
            self.start = start
            self.end = end
            self.segment = segment
            self.streamIndex = streamIndex
            self.decoderThreads = decoderThreads
            self.skipsUnneededPackets = skipsUnneededPackets
            self.limits = limits
            self.filters = filters
        }

        /// The number of decoder threads for frames of a size. Three keep two cores busy, because a thread often waits
        /// for the frame that another one decodes. As each holds frames of its own, large frames get fewer.
        func threads(for size: PictureSize) -> Int {
            max(1, decoderThreads ?? (size.width * size.height <= 1920 * 1088 ? 3 : 2))
        }

        /// The window, or the segment's share of it.
        ///
        /// - Parameter duration: as the container announces it, in microseconds.
        /// - Throws: `MediaError` with the code `noDuration` when a segment needs a duration and there is none.
        func window(duration: Int64?) throws(MediaError) -> (start: Int64?, end: Int64?) {
            guard let segment else { return (start, end) }
            guard let window = segment.window(start: start, end: end, duration: duration) else {
                throw MediaError(.noDuration, "does not announce its duration, so it cannot be divided into segments")
            }
            return window
        }
    }

    /// How the filters change the first sampled frame.
    public struct Filtering: Sendable, Equatable, Codable {
        /// Pixels of the source, upright and with square pixels.
        public let sourceSize: PictureSize
        public let filteredSize: PictureSize
        /// From display pixels of the filtered frame to display pixels of the source; `nil` if unknown.
        public let toSource: AffineTransform?
    }
}
