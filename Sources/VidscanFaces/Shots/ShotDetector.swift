public import VidscanBase

/// Finds where shots change, from the signatures of successive samples at any rate.
///
/// A hard cut is a step: all samples before it differ from all after it, and by more than neighbours differ around it. A
/// flash or something that passes the lens is no step, because the picture comes back; a whip pan is no step, because
/// the samples in between are smeared. Someone who comes or goes is no step either, when all else stays. A dissolve is found afterwards, as a stretch whose pictures are mixtures of the
/// one before and the one after it.
///
/// Signatures of the last three seconds are kept, at most a hundred.
public struct ShotDetector: Sendable {
    struct Sample: Sendable {
        var number: Int
        var seconds: Double
        var signature: FrameSignature
        /// From the sample before, or 0 for the first.
        var step: Double
        /// Mean absolute difference in luma from the sample before.
        var travel: Double
        /// Boxes of faces, as shares of the picture's sides.
        var faces: [Rectangle] = []
    }

    /// Differences of content below this are no cut, whatever their surroundings.
    static let leastStep = 0.3
    /// A step must exceed its neighbours this much.
    static let prominence = 1.6
    /// Differences of structure below this are changes of light.
    static let leastStructure = 0.17
    /// A sample is decided once as many follow, and as much time: a flash lasts for many samples of a high rate.
    private static let lookAheadSamples = 3
    private static let lookAheadSeconds = 0.35
    private static let longestDisturbance = 0.5
    /// Samples around a smeared one among which a sharp one is looked for: a whip pan lasts for several of a high rate.
    private static let smearReach = 10
    private static let memorySeconds = 3.2
    private static let memorySamples = 100

    private var samples: [Sample] = []
    private var count = 0
    /// Number of the first sample that is not decided.
    private var nextToDecide = 0
    private var lastChange: ShotChange?
    /// In order of time.
    public private(set) var changes: [ShotChange] = []

    public init() {}

    /// Takes the next sample.
    ///
    /// - Parameter faces: their boxes as shares of the picture's sides, 0…1.
    public mutating func add(_ signature: FrameSignature, faces: [Rectangle] = [], seconds: Double) {
        let comparison = samples.last.map { SignatureComparison($0.signature, signature) }
        // The same picture under another light is the same shot.
        let step = comparison.map { $0.structure < Self.leastStructure ? min($0.total, 0.2) : $0.total } ?? 0
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

    /// Takes note that no sample follows.
    public mutating func finish() {
        for position in samples.indices where samples[position].number >= nextToDecide { decide(at: position) }
        nextToDecide = count
    }

    private mutating func decide(at position: Int) {
        guard position > 0 else { return }
        if isHardCut(at: position) {
            note(.hard, samples[position])
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
        guard step > Self.leastStep else { return false }
        // Of the neighbours' steps, the larger of each side: motion goes on, a cut is alone.
        let before = position >= 2 ? samples[position - 1].step : nil
        let after = position + 1 < samples.count ? samples[position + 1].step : nil
        let level = [before, after].compactMap { $0 }.map { min($0, step) }
        let local = level.isEmpty ? 0 : level.reduce(0, +) / Double(level.count)
        if isSmeared(position) || isSmeared(position - 1) { return false }
        if comesBack(at: position) { return false }
        if EntranceOrExit.explains(samples[position - 1], samples[position]) { return false }
        return step > Self.leastStep + 0.35 * local
    }

    /// Whether a shot begins here after some black frames that the one before ended in abruptly.
    private func isCutThroughBlack(to position: Int) -> Bool {
        guard let last = samples[..<position].lastIndex(where: { !$0.signature.isFeatureless }) else { return false }
        let (from, to) = (samples[last].signature, samples[position].signature)
        guard SignatureComparison(from, to).total > Self.leastStep + 0.05 else { return false }
        // A fade would be on its way already, or still be.
        let isAbruptEnd = last == 0 || samples[last - 1].signature.contrast < 1.3 * from.contrast
        let isAbruptBegin =
            position + 1 >= samples.count || samples[position + 1].signature.contrast < 1.3 * to.contrast
        return isAbruptEnd && isAbruptBegin
    }

    /// Whether the picture after a disturbance is the one before it: a flash, or something before the lens.
    private func comesBack(at position: Int) -> Bool {
        // Into the disturbance: from the sample before to a later one; out of it: from an earlier one to this.
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
            // A short shot between two of the same scene looks like a picture; a disturbance is brighter, darker or
            // smeared.
            let light = (samples[from].signature.brightness + samples[to].signature.brightness) / 2
            let isDisturbed = between.allSatisfy {
                abs($0.signature.brightness - light) > 22 || isBlurred($0.signature, beside: samples[from].signature)
            }
            if isDisturbed { return true }
        }
        return false
    }

    /// Whether the camera's own motion blurs this sample: less sharp by far than the sharpest ones just before and after.
    private func isSmeared(_ position: Int) -> Bool {
        func sharpest(_ range: ClosedRange<Int>) -> FrameSignature? {
            range.clamped(to: 0...samples.count - 1).lazy.filter { $0 != position && range.contains($0) }
                .filter { abs(samples[$0].seconds - samples[position].seconds) < 0.75 || abs($0 - position) == 1 }
                .map { samples[$0].signature }
                .max { min($0.edgesAcross, $0.edgesDown) < min($1.edgesAcross, $1.edgesDown) }
        }
        // A whip pan is over before samples further apart could show it.
        guard position > 0, position + 1 < samples.count,
            samples[position + 1].seconds - samples[position - 1].seconds < 0.6,
            let before = sharpest(position - Self.smearReach...position - 1),
            let after = sharpest(position + 1...position + Self.smearReach)
        else { return false }
        let signature = samples[position].signature
        // Where one large step follows another, less blur gives the camera away.
        let (into, out) = (samples[position].step, samples[position + 1].step)
        let limit: Float = min(into, out) > 0.25 ? 0.75 : 0.45
        guard isBlurred(signature, beside: before, limit: limit), isBlurred(signature, beside: after, limit: limit)
        else { return false }
        // A new shot may begin blurred and become sharp; what whips past is gone in the next sample.
        return min(into, out) > 0.2
    }

    private func isBlurred(
        _ signature: FrameSignature, beside other: FrameSignature, limit: Float = 0.45
    ) -> Bool {
        min(signature.edgesAcross / max(other.edgesAcross, 0.5), signature.edgesDown / max(other.edgesDown, 0.5))
            < limit
    }
}
