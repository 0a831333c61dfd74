package import VidscanBase
internal import VidscanFaces

/// Adds up the samples of one face to its row of `tracks.csv`.
package struct TrackTally: Sendable {
    /// In the order of `TrackTable.measures`.
    private var histograms = TrackTable.measures.map { StreamingHistogram(range: $0.range) }
    /// The seconds in which each measure is known, in the same order.
    private var measuredSeconds = TrackTable.measures.map { _ in 0.0 }
    private var visibleSeconds = 0.0
    private var boxSum = [0.0, 0.0, 0.0, 0.0]
    private var samples = 0
    private let firstMicroseconds: Int64
    private var lastMicroseconds: Int64
    private var best: (weight: Double, microseconds: Int64, frame: Int64)

    /// - Parameters:
    ///   - microseconds: The time of the first sample, which is still to be added.
    ///   - frame: Its frame.
    package init(microseconds: Int64, frame: Int64) {
        firstMicroseconds = microseconds
        lastMicroseconds = microseconds
        best = (-1, microseconds, frame)
    }

    /// Adds a sample, in time order.
    ///
    /// - Parameters:
    ///   - seconds: The time for which the sample stands.
    ///   - weight: How well the face can be seen; see `FaceProminence`.
    ///   - value: Returns a number of the face, or `nil` if it is not known.
    package mutating func add(
        microseconds: Int64, frame: Int64, seconds: Double, weight: Double, box: Rectangle,
        value: (FaceField) -> Double?
    ) {
        for (index, measure) in TrackTable.measures.enumerated() {
            guard let value = value(measure) else { continue }
            histograms[index].add(value)
            measuredSeconds[index] += seconds
        }
        visibleSeconds += seconds
        for (index, value) in [box.x, box.y, box.width, box.height].enumerated() { boxSum[index] += value }
        samples += 1
        lastMicroseconds = microseconds
        if weight > best.weight { best = (weight, microseconds, frame) }
    }

    /// Returns the row of the samples that have been added.
    ///
    /// - Parameters:
    ///   - blinks: `nil` if the sampling rate is too low for blinks.
    ///   - rest: Returns the resting level of a number, or `nil` if there is none.
    package func row(
        faceID: Int, personID: Int?, personConfidence: Double?, appearances: Int, blinks: TrackRow.Blinks?,
        rest: (FaceField) -> Double?
    ) -> TrackRow {
        let count = Double(max(samples, 1))
        return TrackRow(
            faceID: faceID, personID: personID, personConfidence: personConfidence,
            firstMicroseconds: firstMicroseconds, lastMicroseconds: lastMicroseconds, visibleSeconds: visibleSeconds,
            samples: samples, appearances: appearances,
            meanBox: Rectangle(
                x: boxSum[0] / count, y: boxSum[1] / count, width: boxSum[2] / count, height: boxSum[3] / count),
            bestMicroseconds: best.microseconds, bestFrame: best.frame, blinks: blinks,
            statistics: zip(TrackTable.measures, zip(histograms, measuredSeconds)).map { measure, known in
                let (histogram, seconds) = known
                return TrackRow.Statistic(
                    mean: histogram.mean.map(Float.init), median: histogram.median.map(Float.init),
                    maximum: histogram.maximum.map(Float.init), rest: rest(measure).map(Float.init),
                    samples: histogram.count, seconds: seconds)
            })
    }
}
