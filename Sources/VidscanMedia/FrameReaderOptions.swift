public import VidscanBase

extension FrameReader {
    public struct Options: Sendable {
        public var rate: SampleGrid.Rate
        /// Microseconds since the container's start.
        public var start: Int64?
        /// Microseconds since the container's start, exclusive.
        public var end: Int64?
        /// Of that window, only this part.
        public var segment: VideoSegment?
        /// Index among all the container's streams, as ffprobe counts; `nil` takes the best video stream.
        public var streamIndex: Int?
        /// The same on every machine: what a decoder makes of *damaged* pictures may depend on it.
        public var decoderThreads: Int
        /// `false` decodes every frame, whatever is sampled; the samples are the same.
        public var passesOver: Bool
        public var limits: MediaLimits
        /// What every sampled picture goes through.
        public var filters: FilterChain?

        public init(
            rate: SampleGrid.Rate, start: Int64? = nil, end: Int64? = nil, segment: VideoSegment? = nil,
            streamIndex: Int? = nil, decoderThreads: Int = 2, passesOver: Bool = true,
            limits: MediaLimits = MediaLimits(), filters: FilterChain? = nil
        ) {
            self.rate = rate
            self.start = start
            self.end = end
            self.segment = segment
            self.streamIndex = streamIndex
            self.decoderThreads = decoderThreads
            self.passesOver = passesOver
            self.limits = limits
            self.filters = filters
        }

        /// Of the part, if only one is wanted.
        ///
        /// - Parameter duration: that the container announces, in microseconds.
        func window(duration: Int64?) throws(MediaError) -> (start: Int64?, end: Int64?) {
            guard let segment else { return (start, end) }
            guard let part = segment.window(start: start, end: end, duration: duration) else {
                throw MediaError(.noDuration, "does not say how long it is, so that it cannot be divided")
            }
            return part
        }
    }

    /// What the filters make of the first sampled picture.
    public struct Filtering: Sendable, Equatable, Codable {
        /// Of the source, upright and with square pixels.
        public let sourceSize: PictureSize
        public let filteredSize: PictureSize
        /// From display pixels of the filtered picture to those of the source; `nil` where it is not known.
        public let toSource: AffineTransform?
    }
}
