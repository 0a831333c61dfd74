public import VidscanFaces
internal import VidscanResults

/// A face over time: all its frames, also across cuts where the match is certain.
public struct Track: Sendable, Identifiable {
    /// Statistics of a measurement; `nil` if it was never possible. The median comes from a histogram of 512 steps.
    public struct Statistics: Sendable, Equatable {
        public let mean, median, maximum: Double?
        /// The number of samples in which the measurement is known.
        public let samples: Int
        /// The time that these samples represent.
        public let seconds: Double
    }

    private let row: TrackRow

    init(_ row: TrackRow) { self.row = row }

    /// The `face_id` of the tables, from 1 by first appearance.
    public var id: Int { row.faceID }
    /// From 1; `nil` only in results of early versions, if another track may be the same person.
    public var personID: Int? { row.personID }
    /// The certainty of `personID`, 0…1: 0.5 if the face could as well be another person's.
    public var personConfidence: Double? { row.personConfidence }
    /// The first sample, on the video's clock.
    public var firstMicroseconds: Int64 { row.firstMicroseconds }
    /// The last sample, on the video's clock.
    public var lastMicroseconds: Int64 { row.lastMicroseconds }
    /// The sum of the times since the video's previous samples, each at most twice the mean time between samples.
    public var visibleSeconds: Double { row.visibleSeconds }
    /// The number of samples that show the face.
    public var samples: Int { row.samples }
    /// How often the face appears.
    public var appearances: Int { row.appearances }
    /// The mean of the boxes.
    public var meanBox: Rectangle { row.meanBox }
    /// When the face is seen best (high score, large, frontal, sharp): the frame for a thumbnail.
    public var bestMicroseconds: Int64 { row.bestMicroseconds }
    public var bestFrame: Int64 { row.bestFrame }

    /// The number of blinks; `nil` if the sample rate is too low to see them, or the eyes were never measured.
    public var blinks: Int? { row.blinks.flatMap { $0.seconds > 0 ? $0.count : nil } }
    /// The time in which an eye is measured, so that a blink can be seen; `nil` if `blinks` is.
    public var blinkSeconds: Double? { row.blinks.flatMap { $0.seconds > 0 ? $0.seconds : nil } }
    /// Blinks per minute of `blinkSeconds`; `nil` if `blinks` is.
    public var blinkRate: Double? { row.blinks?.perMinute }

    /// The head's angles in degrees; brightness 0…100.
    public var yaw: Statistics { statistics("yaw") }
    public var pitch: Statistics { statistics("pitch") }
    public var roll: Statistics { statistics("roll") }
    public var brightness: Statistics { statistics("brightness") }

    /// Statistics of a metric, such as `track[.smile].maximum`.
    public subscript(metric: Metric) -> Statistics { statistics(metric.rawValue) }

    /// The person's resting level, 0…100, of an expression or an open eye; `nil` for other metrics, for a person who is
    /// not seen well for five seconds, and if `measure.baseline` is `none`.
    public func restingLevel(of metric: Metric) -> Double? {
        Self.positions[metric.rawValue].flatMap { row.statistics[$0].rest.map(Double.init) }
    }

    private func statistics(_ name: String) -> Statistics {
        let statistic = Self.positions[name].map { row.statistics[$0] }
        return Statistics(
            mean: statistic?.mean.map(Double.init), median: statistic?.median.map(Double.init),
            maximum: statistic?.maximum.map(Double.init), samples: statistic?.samples ?? 0,
            seconds: statistic?.seconds ?? 0)
    }

    private static let positions = Dictionary(uniqueKeysWithValues: zip(TrackTable.measures.map(\.name), 0...))
}
