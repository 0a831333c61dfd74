/// A sample of a face in which a measure is known.
struct MeasuredSample: Sendable, Equatable {
    let microseconds: Int64
    /// The sample's number among all samples of the video.
    let number: Int
    let value: Double
    /// The number of earlier samples in which the measure is known.
    let measuredBefore: Int
    /// The number of earlier samples in which it is known from one side of the face alone.
    let oneSidedBefore: Int
    /// Whether the measure was not known just before: the first sample of an appearance, or the first one after a gap
    /// that is too long to be bridged.
    let followsGap: Bool
}

/// Follows a state of a face, such as closed eyes, in a measure that is missing in some samples.
///
/// A short gap is bridged: the state is taken to go on. A longer gap ends the state at the last sample in which the
/// measure is known, because nobody knows what happened in between.
struct MeasuredState: Sendable {
    /// A time during which the state held.
    struct Period: Sendable, Equatable {
        /// The sample that crossed the threshold.
        let onset: MeasuredSample
        /// When the state was left, in microseconds; for a state that a gap ended, the time of its last sample.
        let endMicroseconds: Int64
        /// The share of the samples in which the measure is known, 0…1.
        let measuredShare: Double
        /// The share of the samples in which it is known from one side of the face alone, 0…1.
        let oneSidedShare: Double
        /// Whether a sample shows that the state was left.
        let hasOffset: Bool

        /// Whether a sample shows that the state did not hold before.
        var hasOnset: Bool { !onset.followsGap }
        /// Whether samples show how it began and how it ended.
        var isComplete: Bool { hasOnset && hasOffset }
        var seconds: Double { Double(endMicroseconds - onset.microseconds) / 1e6 }
    }

    enum Change: Sendable, Equatable {
        case began(MeasuredSample)
        case ended(Period)
    }

    private var hysteresis: Hysteresis
    private let oneSidedMargin: Double
    private var last: MeasuredSample?
    private var measured = 0
    private var oneSided = 0

    /// - Parameter oneSidedMargin: By how much a value from one side of the face alone must exceed the threshold.
    init(_ hysteresis: Hysteresis, oneSidedMargin: Double = 0) {
        self.hysteresis = hysteresis
        self.oneSidedMargin = oneSidedMargin
    }

    /// Adds a sample, which is not before that of the previous call.
    ///
    /// - Parameters:
    ///   - value: `nil` if the measure is missing, as it is in the samples between two calls.
    ///   - isOneSided: Whether the value comes from one side of the face alone.
    /// - Returns: The changes that the sample completes: up to two, if a gap ended the state and the sample begins it again.
    mutating func update(
        _ value: Double?, isOneSided: Bool = false, at microseconds: Int64, sample number: Int
    ) -> [Change] {
        guard let value else { return [] }
        var changes: [Change] = []
        let followsGap = last.map { !Self.isBridged(from: $0, to: number, at: microseconds) } ?? true
        if followsGap, let period = interrupt() { changes.append(.ended(period)) }
        let sample = MeasuredSample(
            microseconds: microseconds, number: number, value: value, measuredBefore: measured,
            oneSidedBefore: oneSided, followsGap: followsGap)
        last = sample
        measured += 1
        if isOneSided { oneSided += 1 }
        switch hysteresis.update(sample, margin: isOneSided ? oneSidedMargin : 0) {
        case .entered(let onset): changes.append(.began(onset))
        case .left(let onset, let offset):
            changes.append(
                .ended(
                    period(
                        from: onset, until: offset.microseconds, samples: offset.number - onset.number,
                        measured: offset.measuredBefore, oneSided: offset.oneSidedBefore, hasOffset: true)))
        case nil: break
        }
        return changes
    }

    /// Ends the state at the last sample in which the measure is known.
    ///
    /// - Returns: `nil` if the state does not hold.
    mutating func interrupt() -> Period? {
        defer { hysteresis.reset() }
        guard let onset = hysteresis.entered, let last else { return nil }
        return period(
            from: onset, until: last.microseconds, samples: last.number - onset.number + 1, measured: measured,
            oneSided: oneSided, hasOffset: false)
    }

    private func period(
        from onset: MeasuredSample, until end: Int64, samples: Int, measured: Int, oneSided: Int, hasOffset: Bool
    ) -> Period {
        let count = Double(max(samples, 1))
        return Period(
            onset: onset, endMicroseconds: end,
            measuredShare: Double(measured - onset.measuredBefore) / count,
            oneSidedShare: Double(oneSided - onset.oneSidedBefore) / count, hasOffset: hasOffset)
    }

    private static func isBridged(from last: MeasuredSample, to number: Int, at microseconds: Int64) -> Bool {
        number - last.number - 1 <= EventOptions.bridgedSamples
            || microseconds - last.microseconds <= Int64((EventOptions.bridgedSeconds * 1e6).rounded())
    }
}
