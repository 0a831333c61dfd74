/// Decides which samples are anchors, which are searched for faces. The samples between two anchors are predicted from
/// both, and searched only if the prediction does not hold.
///
/// Anchors depend only on the samples' times and frame sizes: the first sample of each stride and the last one of each
/// chunk. Nothing is predicted across two chunks, so separate processes can analyse the chunks of a video.
package struct AnchorSchedule: Sendable, Equatable {
    package static let chunkMicroseconds: Int64 = 3_000_000

    package let strideMicroseconds: Int64
    /// From one anchor to the next; 1 makes every sample an anchor.
    package let maximumSamples: Int
    /// The maximum size of the frames between two anchors, which are kept until the second one is analysed.
    package let maximumBytes: Int

    /// A stride of three samples, but at least 0.3 s and at most 0.6 s.
    package init(rate: SampleGrid.Rate, maximumSamples: Int = .max, maximumBytes: Int = .max) {
        var samples = 0.0
        if case .perSecond(let rate) = rate { samples = 3e6 * Double(rate.denominator) / Double(rate.numerator) }
        strideMicroseconds = Int64(min(max(samples, 300_000), 600_000))
        (self.maximumSamples, self.maximumBytes) = (max(1, maximumSamples), maximumBytes)
    }

    package static func chunk(at microseconds: Int64) -> Int64 { microseconds.flooringDivision(by: chunkMicroseconds) }

    package static func nearestBorder(to microseconds: Int64) -> Int64 {
        chunk(at: microseconds + chunkMicroseconds / 2) * chunkMicroseconds
    }

    /// From 0 at the beginning of the chunk.
    func stride(at microseconds: Int64) -> Int64 {
        (microseconds - Self.chunk(at: microseconds) * Self.chunkMicroseconds) / strideMicroseconds
    }
}

/// Groups samples into runs. A run ends with an anchor and contains the samples after the previous anchor.
package struct RunGrouping<Sample> {
    package struct Run {
        /// In time order, at least one; the last one is the anchor.
        package var samples: [Sample]
        /// Whether the only sample is an anchor without a connection to an earlier one.
        package var isFirst: Bool
    }

    /// Decides whether a sample is connected to the one before: never if their epochs differ.
    package typealias Position = (microseconds: Int64, epoch: Int, size: PictureSize, byteCount: Int)

    private let schedule: AnchorSchedule
    private var pending: [Sample] = []
    private var pendingBytes = 0
    private var last: Position?

    package init(_ schedule: AnchorSchedule) { self.schedule = schedule }

    /// Returns the runs that are complete now, at most two.
    package mutating func add(_ sample: Sample, at position: Position) -> [Run] {
        defer { last = position }
        guard let last, schedule.maximumSamples > 1, last.epoch == position.epoch, last.size == position.size,
            AnchorSchedule.chunk(at: last.microseconds) == AnchorSchedule.chunk(at: position.microseconds)
        else { return finish() + [Run(samples: [sample], isFirst: true)] }
        pending.append(sample)
        pendingBytes += position.byteCount
        let isAnchor =
            schedule.stride(at: position.microseconds) != schedule.stride(at: last.microseconds)
            || pending.count >= schedule.maximumSamples || pendingBytes + position.byteCount > schedule.maximumBytes
        return isAnchor ? finish() : []
    }

    /// Returns the last run, unless its last sample was already an anchor.
    package mutating func finish() -> [Run] {
        guard !pending.isEmpty else { return [] }
        defer { (pending, pendingBytes) = ([], 0) }
        return [Run(samples: pending, isFirst: false)]
    }
}
