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
        (info, statistics, filtering) = (reader.info, reader.statistics, reader.filtering)
        (self.displaySize, self.isWholeVideo) = (displaySize, isWholeVideo)
    }

    /// Adds the report of the next segment of the same video.
    package mutating func join(_ next: DecodingReport) {
        statistics.join(next.statistics)
        displaySize = displaySize ?? next.displaySize
        filtering = filtering ?? next.filtering
    }
}

/// Seconds that a worker spent in each step.
package struct StageTimes: Sendable, Codable {
    package var resample = 0.0, detect = 0.0, crop = 0.0, mesh = 0.0, measure = 0.0, look = 0.0, embed = 0.0

    package init() {}

    package mutating func measure<Result, Failure: Error>(
        _ part: WritableKeyPath<StageTimes, Double>, _ work: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let clock = ContinuousClock()
        let begin = clock.now
        defer { self[keyPath: part] += begin.duration(to: clock.now) / .seconds(1) }
        return try work()
    }

    package mutating func add(_ other: StageTimes) {
        for part in Self.parts { self[keyPath: part.path] += other[keyPath: part.path] }
    }

    /// By their names in `part.json`.
    static let parts: [(name: String, path: any WritableKeyPath<StageTimes, Double> & Sendable)] = [
        ("resample", \.resample), ("detect", \.detect), ("crop", \.crop), ("mesh", \.mesh), ("measure", \.measure),
        ("look", \.look), ("embed", \.embed),
    ]
}
