public import VidscanBase

/// Detects shot changes from the signatures of successive samples at any sampling rate.
///
/// A hard cut is a step: all samples before it differ from all samples after it, by more than neighbouring samples
/// differ. A flash, or something that passes the lens, is not a step, because the scene returns. A whip pan is not a
/// step, because the samples in between are blurred. A person who enters or leaves is not a step if everything else is
/// unchanged. Where the content of two shots is similar, a step is a cut if it is in the whole frame (``FaintCut``). A
/// dissolve is detected when it ends, as a run of samples whose frames are mixtures of the frames before and after it.
///
/// The signatures of the last three seconds are kept, but at most a hundred.
public struct ShotDetector: Sendable {
    struct Sample: Sendable {
        var number: Int
        var seconds: Double
        var signature: FrameSignature
        /// The difference of content from the previous sample, 0…1; 0 for the first.
        var step: Double
        /// The mean absolute difference in luma from the previous sample.
        var travel: Double
        /// The face boxes, as fractions of the frame's sides.
        var faces: [Rectangle] = []
    }

    /// The minimum difference of content at a cut.
    static let minimumStep = 0.3
    /// The minimum ratio of a step to its neighbours.
    static let prominence = 1.6
    /// The minimum difference of structure at a cut. Smaller differences are changes of light.
    static let minimumStructure = 0.17
    /// A sample is decided once this many samples and this much time follow it. Both are needed because a flash lasts
    /// for many samples at a high rate.
    private static let lookAheadSamples = 3
    private static let lookAheadSeconds = 0.35
    private static let longestDisturbance = 0.5
    /// The distance in samples within which a blurred sample is compared with sharp ones. A whip pan lasts for several
    /// samples at a high rate.
    private static let smearReach = 10
    private static let memorySeconds = 3.2
    private static let memorySamples = 100

    private var samples: [Sample] = []
    private var count = 0
    /// The number of the first sample that is not decided.
    private var nextToDecide = 0
    private var lastChange: ShotChange?
    /// The changes in order of time.
    public private(set) var changes: [ShotChange] = []

    public init() {}

    /// Adds the next sample.
    ///
    /// - Parameters:
    ///   - signature: The signature of the frame.
    ///   - faces: The face boxes, as fractions of the frame's sides, 0…1.
    ///   - seconds: The time of the sample.
    public mutating func add(_ signature: FrameSignature, faces: [Rectangle] = [], seconds: Double) {
        let comparison = samples.last.map { SignatureComparison($0.signature, signature) }
        // The same scene under different light is the same shot.
        let step = comparison.map { $0.structure < Self.minimumStructure ? min($0.total, 0.2) : $0.total } ?? 0
        let travel = samples.last.map { $0.signature.distance(to: signature) } ?? 0
        samples.append(
            Sample(
                number: count, seconds: seconds, signature: signature, step: step, travel: travel,
                faces: faces))
        count += 1
        while nextToDecide + Self.lookAheadSamples < count {
            let position = samples.count - (count - nextToDecide)
            guard position < 0 || seconds - samples[position].seconds >= Self.lookAheadSeconds - 1e-6 else { break }
            decide(at: position)
            nextToDecide += 1
        }
        while samples.count > Self.memorySamples
            || (samples.count > 8 && seconds - samples[0].seconds > Self.memorySeconds)
        {
            samples.removeFirst()
        }
    }

    /// Decides the remaining samples, because no sample follows.
    public mutating func finish() {
        for position in samples.indices where samples[position].number >= nextToDecide { decide(at: position) }
        nextToDecide = count
    }

    private mutating func decide(at position: Int) {
        guard position > 0 else { return }
        if isHardCut(at: position) {
            note(.hard, samples[position])
        } else if FaintCut.precedes(position, of: samples), !isDisturbance(at: position) {
            note(.hard, samples[position])
        } else if let begin = FaintCut.beginOfMixture(before: position, of: samples), !comesBack(at: position) {
            // The step to the mixture may have been a cut by itself.
            if lastChange.map({ $0.sample < samples[position - 1].number }) ?? true { note(.hard, samples[begin]) }
        } else if let middle = GradualChange.middle(samples, endingAt: position, after: lastChange?.sample) {
            note(.gradual, samples[middle])
        }
    }

    private mutating func note(_ kind: ShotChange.Kind, _ sample: Sample) {
        let change = ShotChange(kind: kind, sample: sample.number, seconds: sample.seconds)
        lastChange = change
        changes.append(change)
    }

    private func isHardCut(at position: Int) -> Bool {
        let sample = samples[position]
        if sample.signature.isFeatureless { return false }
        if samples[position - 1].signature.isFeatureless { return isCutThroughBlack(to: position) }
        let step = sample.step
        guard step > Self.minimumStep else { return false }
        // The mean of the neighbours' steps, each at most the step itself: motion continues over several samples, while
        // a cut is isolated.
        let before = position >= 2 ? samples[position - 1].step : nil
        let after = position + 1 < samples.count ? samples[position + 1].step : nil
        let level = [before, after].compactMap { $0 }.map { min($0, step) }
        let local = level.isEmpty ? 0 : level.reduce(0, +) / Double(level.count)
        if isDisturbance(at: position) { return false }
        return step > Self.minimumStep + 0.35 * local
    }

    /// Returns whether something other than a cut explains a large difference from the previous sample.
    private func isDisturbance(at position: Int) -> Bool {
        isSmeared(position) || isSmeared(position - 1) || comesBack(at: position)
            || EntranceOrExit.explains(samples[position - 1], samples[position])
    }

    /// Returns whether a shot begins here after black frames, and the previous shot ended in them abruptly.
    private func isCutThroughBlack(to position: Int) -> Bool {
        guard let last = samples[..<position].lastIndex(where: { !$0.signature.isFeatureless }) else { return false }
        let (from, to) = (samples[last].signature, samples[position].signature)
        guard SignatureComparison(from, to).total > Self.minimumStep + 0.05 else { return false }
        // During a fade, the contrast would already be falling before the black, or still be rising after it.
        let isAbruptEnd = last == 0 || samples[last - 1].signature.contrast < 1.3 * from.contrast
        let isAbruptBegin =
            position + 1 >= samples.count || samples[position + 1].signature.contrast < 1.3 * to.contrast
        return isAbruptEnd && isAbruptBegin
    }

    /// Returns whether the scene after a disturbance is the same as before it: a flash, or something in front of the
    /// lens.
    private func comesBack(at position: Int) -> Bool {
        // The disturbance may start here (compare the previous sample with a later one) or end here (compare an earlier
        // sample with this one).
        let time = samples[position].seconds
        let reach = { (other: Int) in abs(samples[other].seconds - time) <= Self.longestDisturbance + 1e-6 }
        let into = (position + 1..<max(samples.count, position + 1)).lazy.filter {
            $0 <= position + 2 || reach($0)
        }.map { (position - 1, $0) }
        let outOf = (0..<max(position - 1, 0)).lazy.filter { $0 >= position - 3 || reach($0) }.map { ($0, position) }
        for (from, to) in Array(into) + Array(outOf) + [(position - 2, position + 1)] {
            guard from >= 0, to < samples.count, samples[to].seconds - samples[from].seconds < 1.3 else { continue }
            let between = samples[from + 1..<to]
            guard !between.isEmpty, SignatureComparison(samples[from].signature, samples[to].signature).total < 0.22
            else { continue }
            // A short shot between two of the same scene has normal frames, while a disturbance is brighter, darker or
            // blurred.
            let light = (samples[from].signature.brightness + samples[to].signature.brightness) / 2
            let isDisturbed = between.allSatisfy {
                abs($0.signature.brightness - light) > 22 || isBlurred($0.signature, beside: samples[from].signature)
            }
            if isDisturbed { return true }
        }
        return false
    }

    /// Returns whether camera motion blurs this sample: it is much less sharp than the sharpest ones just before and
    /// after it.
    private func isSmeared(_ position: Int) -> Bool {
        func sharpest(_ range: ClosedRange<Int>) -> FrameSignature? {
            range.clamped(to: 0...samples.count - 1).lazy.filter { $0 != position && range.contains($0) }
                .filter { abs(samples[$0].seconds - samples[position].seconds) < 0.75 || abs($0 - position) == 1 }
                .map { samples[$0].signature }
                .max { min($0.edgesAcross, $0.edgesDown) < min($1.edgesAcross, $1.edgesDown) }
        }
        // A whip pan is shorter than the distance of samples that are further apart.
        guard position > 0, position + 1 < samples.count,
            samples[position + 1].seconds - samples[position - 1].seconds < 0.6,
            let before = sharpest(position - Self.smearReach...position - 1),
            let after = sharpest(position + 1...position + Self.smearReach)
        else { return false }
        let signature = samples[position].signature
        // Between two large steps, less blur is enough to indicate camera motion.
        let (into, out) = (samples[position].step, samples[position + 1].step)
        let limit: Float = min(into, out) > 0.25 ? 0.75 : 0.45
        guard isBlurred(signature, beside: before, limit: limit), isBlurred(signature, beside: after, limit: limit)
        else { return false }
        // A new shot may start blurred and become sharp. After a whip pan, the next sample differs as well.
        return min(into, out) > 0.2
    }

    private func isBlurred(
        _ signature: FrameSignature, beside other: FrameSignature, limit: Float = 0.45
    ) -> Bool {
        min(signature.edgesAcross / max(other.edgesAcross, 0.5), signature.edgesDown / max(other.edgesDown, 0.5))
            < limit
    }
}
