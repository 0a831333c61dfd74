package import VidscanBase

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
        /// `nil` chooses by frame size. Use one number on all machines: frames of damaged data may depend on it.
        package var decoderThreads: Int?
        /// Skips packets that no sample needs. The samples are the same either way.
        package var skipsUnneededPackets: Bool
        package var limits: MediaLimits
        package var filters: FilterChain?

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
        package let sourceSize: PictureSize
        package let filteredSize: PictureSize
        /// From display pixels of the filtered frame to those of the source; `nil` if unknown.
        package let toSource: AffineTransform?
    }
}
