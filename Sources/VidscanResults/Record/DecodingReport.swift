package import VidscanBase
package import VidscanMedia

package struct DecodingReport: Sendable, Codable {
    package let info: VideoInfo
    package private(set) var statistics: ReadStatistics
    package private(set) var displaySize: PictureSize?
    package private(set) var filtering: FrameReader.FilterOutcome?
    /// Whether the settings select neither a time range nor a segment.
    package var isWholeVideo: Bool

    /// `reader` must have reached its end.
    package init(_ reader: FrameReader, displaySize: PictureSize?, isWholeVideo: Bool) {
        info = reader.info
        statistics = reader.statistics
        filtering = reader.filtering
        self.displaySize = displaySize
        self.isWholeVideo = isWholeVideo
    }

    /// Adds the report of the next segment of the same video.
    package mutating func join(_ next: DecodingReport) {
        statistics.join(next.statistics)
        displaySize = displaySize ?? next.displaySize
        filtering = filtering ?? next.filtering
    }
}
