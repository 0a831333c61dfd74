/// Finds nods and shakes of one head: the pitch, or the yaw, turns back and forth in a rhythm.
///
/// A movement from one extreme to the next is a half-cycle. Several in a row that are wide and quick enough are a
/// gesture, unless the head turns in the other direction meanwhile. Its mean is that of its half-cycles, in degrees. An end is
/// seen if the head is seen for a long half-cycle beyond it. Follows Kawato and Ohya (2000, "Real-time detection of nodding
/// and head-shaking …") and Kapoor and Picard (2001, "A real-time head nod and shake detector"), with angles of the head.
package struct HeadGestureDetector: Sendable {
    private static let minimumHalfCycles = 3
    /// Of a half-cycle.
    private static let minimumDegrees = 3.0
    /// Of a half-cycle in seconds: of a rhythm of 1 to 5 cycles per second.
    private static let halfCycleSeconds = 0.1...0.5
    /// Nearer samples to the last one are left out: the noise of each would add to the movement in the other direction.
    private static let shortestGapSeconds = 0.045
    /// The longest time between two samples within a gesture.
    private static let longestGapSeconds = 0.25
    /// Per half-cycle, the head moves in the other direction by at most this fraction of the mean half-cycle.
    private static let crossFraction = 0.75

    private var axes: [Axis]
    private var last: Int64?
    /// The first sample that no gap separates from the last one.
    private var first: Int64 = 0

    package init(faceID: Int) { axes = [.nod, .shake].map { Axis(kind: $0, faceID: faceID) } }

    /// Adds a later sample: the angles in degrees, `nil` if they are unknown. Returns the gestures that are now complete.
    package mutating func update(yaw: Double?, pitch: Double?, at microseconds: Int64) -> [Episode] {
        guard let yaw, let pitch else { return [] }
        let gap = last.map { Self.seconds(from: $0, to: microseconds) }
        if let gap, gap < Self.shortestGapSeconds { return [] }
        let found = gap.map { $0 > Self.longestGapSeconds } ?? true ? finish() : []
        if last == nil { first = microseconds }
        last = microseconds
        return found
            + axes.indices.compactMap { index in
                let isNod = axes[index].kind == .nod
                return axes[index].add((microseconds, degrees: isNod ? pitch : yaw, cross: isNod ? yaw : pitch))
            }.map { complete($0, isEndSeen: true) }
    }

    /// Returns the gestures that had not ended when the face was last seen.
    package mutating func finish() -> [Episode] {
        last = nil
        return axes.indices.compactMap { axes[$0].rest() }.map { complete($0, isEndSeen: false) }
    }

    private func complete(_ gesture: Episode, isEndSeen: Bool) -> Episode {
        var seen = gesture
        seen.isStartSeen = Self.seconds(from: first, to: gesture.startMicroseconds) >= Self.halfCycleSeconds.upperBound
        seen.isEndSeen = isEndSeen
        return seen
    }

    fileprivate static func seconds(from start: Int64, to end: Int64) -> Double { Double(end - start) / 1e6 }

    private typealias Sample = (microseconds: Int64, degrees: Double, cross: Double)

    /// One of the two angles.
    private struct Axis {
        let kind: Episode.Kind
        let faceID: Int
        /// Since the last extreme; before the first movement, those of the last half-cycle's time.
        private var samples: [Sample] = []
        /// The position in `samples` of the highest or lowest one since the last extreme.
        private var turn = 0
        private var isRising: Bool?
        private var halves: [(start: Int64, end: Int64, degrees: Double)] = []
        /// How far the other angle went during these.
        private var crossDegrees = 0.0

        private static let restingDegrees = minimumDegrees / 3

        init(kind: Episode.Kind, faceID: Int) { (self.kind, self.faceID) = (kind, faceID) }

        mutating func add(_ sample: Sample) -> Episode? {
            samples.append(sample)
            guard let isRising else {
                begin()
                return nil
            }
            let beyond = isRising ? sample.degrees - samples[turn].degrees : samples[turn].degrees - sample.degrees
            if beyond > 0 {
                turn = samples.count - 1
            } else if -beyond >= minimumDegrees {
                let gesture = endHalf()
                self.isRising = !isRising
                samples.removeFirst(turn)
                turn = samples.count - 1
                return gesture
            } else if seconds(from: samples[turn].microseconds, to: sample.microseconds) > halfCycleSeconds.upperBound {
                return rest()
            }
            return nil
        }

        private mutating func begin() {
            let now = samples[samples.count - 1]
            samples.removeAll { seconds(from: $0.microseconds, to: now.microseconds) > halfCycleSeconds.upperBound }
            // The later of equal extremes.
            let order = samples.indices.reversed()
            guard let lowest = order.min(by: { samples[$0].degrees < samples[$1].degrees }),
                let highest = order.max(by: { samples[$0].degrees < samples[$1].degrees })
            else { return }
            let start = now.degrees - samples[lowest].degrees >= minimumDegrees ? lowest : highest
            guard abs(now.degrees - samples[start].degrees) >= minimumDegrees else { return }
            isRising = start == lowest
            samples.removeFirst(start)
            turn = samples.count - 1
        }

        /// Ends the half-cycle from the last extreme to the turn. Returns the gesture that it does not continue.
        private mutating func endHalf() -> Episode? {
            var (first, last) = (samples[0], samples[turn])
            func length() -> Double { seconds(from: first.microseconds, to: last.microseconds) }
            if length() > halfCycleSeconds.upperBound {
                // Noise puts the extremes anywhere in the time in which the head rests.
                first = samples[..<turn].last { abs($0.degrees - first.degrees) < Self.restingDegrees } ?? first
                last = samples.first { abs($0.degrees - last.degrees) < Self.restingDegrees } ?? last
            }
            guard halfCycleSeconds.contains(length()) else { return endRhythm() }
            halves.append((first.microseconds, last.microseconds, abs(last.degrees - first.degrees)))
            for (before, after) in zip(samples[..<turn], samples[1...turn]) {
                crossDegrees += abs(after.cross - before.cross)
            }
            return nil
        }

        /// Ends the movement: the head rests, or is lost.
        mutating func rest() -> Episode? {
            let gesture = isRising == nil ? nil : endHalf()
            defer { (isRising, samples) = (nil, []) }
            return gesture ?? endRhythm()
        }

        private mutating func endRhythm() -> Episode? {
            defer { (halves, crossDegrees) = ([], 0) }
            guard halves.count >= minimumHalfCycles, let first = halves.first, let last = halves.last
            else { return nil }
            let degrees = halves.reduce(0) { $0 + $1.degrees }
            guard crossDegrees <= crossFraction * degrees else { return nil }
            return Episode(
                kind: kind, faceID: faceID, startMicroseconds: first.start, endMicroseconds: last.end,
                isStartSeen: true, isEndSeen: true, mean: degrees / Double(halves.count),
                measuredSeconds: seconds(from: first.start, to: last.end))
        }
    }
}
