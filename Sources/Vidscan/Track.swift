public import VidscanBase
public import VidscanFaces
internal import VidscanResults

/// A face over time: all its frames, also across cuts where the match is certain.
public struct Track: Sendable, Identifiable {
    /// The mean, median and maximum of a measurement, `nil` if it was never possible, and what they rest on. The median comes from a histogram
    /// with 512 steps.
    public struct Statistics: Sendable, Equatable {
        public let mean: Double?
        public let median: Double?
        public let maximum: Double?
        /// The number of samples in which the measurement is known.
        public let samples: Int
        /// The seconds for which these samples stand.
        public let seconds: Double
    }

    private let row: TrackRow

    init(_ row: TrackRow) {
        self.row = row
    }

    /// The `face_id` of the tables, from 1 in order of first appearance.
    public var id: Int { row.faceID }
    /// Identifies the person, from 1; `nil` only in results of early versions, if another track may be the same person.
    public var personID: Int? { row.personID }
    /// How certain the person is, 0…1: 0.5 if the face could as well be another person's.
    public var personConfidence: Double? { row.personConfidence }
    /// The time of the first sample, in microseconds on the video's clock.
    public var firstMicroseconds: Int64 { row.firstMicroseconds }
    /// The time of the last sample, in microseconds on the video's clock.
    public var lastMicroseconds: Int64 { row.lastMicroseconds }
    /// The seconds for which its samples stand: each for the time since the video's sample before it, at most twice the mean
    /// time between samples.
    public var visibleSeconds: Double { row.visibleSeconds }
    /// The number of samples that show the face.
    public var samples: Int { row.samples }
    /// How often the face appears.
    public var appearances: Int { row.appearances }
    /// The mean of the boxes.
    public var meanBox: Rectangle { row.meanBox }
    /// When the face is seen best (high score, large, frontal, sharp), in microseconds: the frame for a thumbnail.
    public var bestMicroseconds: Int64 { row.bestMicroseconds }
    /// The index of the frame at `bestMicroseconds`.
    public var bestFrame: Int64 { row.bestFrame }

    /// The number of blinks; `nil` if too few samples per second were taken to see blinks, or if the eyes were never
    /// measured.
    public var blinks: Int? { row.blinks.flatMap { $0.seconds > 0 ? $0.count : nil } }
    /// The seconds in which a blink can be seen, because an eye is measured; `nil` as `blinks`.
    public var blinkSeconds: Double? { row.blinks.flatMap { $0.seconds > 0 ? $0.seconds : nil } }
    /// Blinks per minute of `blinkSeconds`; `nil` as `blinks`.
    public var blinkRate: Double? { row.blinks?.perMinute }

    /// Statistics of the head's angles in degrees, and of the brightness, 0…100.
    public var yaw: Statistics { statistics("yaw") }
    public var pitch: Statistics { statistics("pitch") }
    public var roll: Statistics { statistics("roll") }
    public var brightness: Statistics { statistics("brightness") }

    /// Statistics of a metric, for example `track[.smile].maximum`.
    public subscript(metric: Metric) -> Statistics { statistics(metric.rawValue) }

    /// Returns what the person looks like at rest, 0…100: the level of an expression, or of an open eye. It is `nil` for other
    /// metrics, for a person who is not seen well for five seconds, and if `measure.baseline` is `none`.
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
