package import VidscanBase
package import VidscanMedia

/// The outcome of reading and decoding a video or a segment of it.
package struct DecodingReport: Sendable, Codable {
    package var info: VideoInfo
    package var statistics: ReadStatistics
    package var displaySize: PictureSize?
    package var filtering: FrameReader.Filtering?
    /// Whether the settings select neither a time range nor a segment.
    package var isWholeVideo: Bool

    package init(
        info: VideoInfo, statistics: ReadStatistics, displaySize: PictureSize?, filtering: FrameReader.Filtering?,
        isWholeVideo: Bool
    ) {
        self.info = info
        self.statistics = statistics
        self.displaySize = displaySize
        self.filtering = filtering
        self.isWholeVideo = isWholeVideo
    }

    /// Adds the report of the segment that follows in the same video.
    package mutating func join(_ next: DecodingReport) {
        statistics.join(next.statistics)
        displaySize = displaySize ?? next.displaySize
        filtering = filtering ?? next.filtering
    }
}
