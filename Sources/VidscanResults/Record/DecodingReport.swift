package import VidscanBase
package import VidscanMedia

/// What came of reading and decoding a video, or a segment of it.
package struct DecodingReport: Sendable, Codable {
    package var info: VideoInfo
    package var statistics: ReadStatistics
    package var displaySize: PictureSize?
    package var filtering: FrameReader.Filtering?
    /// No window was asked for.
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

    /// Adds what came of the part of the video that follows.
    package mutating func join(_ next: DecodingReport) {
        statistics.join(next.statistics)
        displaySize = displaySize ?? next.displaySize
        filtering = filtering ?? next.filtering
    }
}
