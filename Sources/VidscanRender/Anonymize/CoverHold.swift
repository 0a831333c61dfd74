package import VidscanBase

/// How long a cover outlasts the sight of its face, because the detector may have missed it: whole for the hold time, then, where
/// the face was last seen, shrinking. A hard cut ends it.
package struct CoverHold: Sendable {
    /// The faces in a sample, with its time.
    package typealias Sample = (microseconds: Int64, boxes: [Rectangle])

    /// In microseconds.
    private let hold, fade: Double

    /// The fraction of the hold time in which a cover shrinks.
    private static let fading = 0.4
    /// In microseconds: a cut may be found a frame early or late, and a blended frame shows both shots.
    private static let cutReach: Int64 = 80_000
    /// The samples on each side of a cut in which a face may go on.
    private static let reachedSamples = 3
    /// Intersection over union of a face that may go on.
    private static let minimumOverlap = 0.5

    package init(seconds: Double) { (hold, fade) = (seconds * 1e6, seconds * 1e6 * Self.fading) }

    var reachSeconds: Double { (hold + fade) / 1e6 }

    /// The size of a cover relative to that on its face: 1 during the hold time, 0 when it is over.
    ///
    /// - Parameters:
    ///   - seen: when the face was seen last or, if after `now`, next; in microseconds, as `hardCuts`.
    ///   - samples: those around both times. Both lists are in time order.
    package func size(
        seen: Int64, now: Int64, samples: some RandomAccessCollection<Sample>, hardCuts: [Int64]
    ) -> Double {
        let excess = Double(abs(now - seen)) - hold
        let size = excess <= 0 ? 1 : now > seen && fade > 0 ? max(0, 1 - excess / fade) : 0
        return size > 0 && hasCut(between: seen, and: now, samples, hardCuts) ? 0 : size
    }

    /// Whether `now` is beyond doubt on the other side of a cut. The first frame of the new shot and the last one of the old are not,
    /// and neither is anything near a cut at which a face goes on: that may be a flash, or the same person in both shots.
    private func hasCut(
        between seen: Int64, and now: Int64, _ samples: some RandomAccessCollection<Sample>, _ hardCuts: [Int64]
    ) -> Bool {
        let (begin, end) = (min(seen, now), max(seen, now))
        return hardCuts[hardCuts.partitionIndex { $0 > begin }...].prefix { $0 <= end }.contains { cut in
            let (old, new) = (samples.prefix { $0.microseconds < cut }, samples.drop { $0.microseconds < cut })
            guard abs(now - cut) >= Self.cutReach, let last = old.last, let first = new.first,
                now > first.microseconds || now < last.microseconds
            else { return false }
            let before = old.suffix(Self.reachedSamples).flatMap(\.boxes)
            let after = new.prefix(Self.reachedSamples).flatMap(\.boxes)
            return !before.contains { box in
                after.contains { $0.intersectionOverUnion(with: box) > Self.minimumOverlap }
            }
        }
    }
}
