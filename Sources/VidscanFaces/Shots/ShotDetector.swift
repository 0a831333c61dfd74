package import VidscanBase

package struct ShotChange: Sendable, Equatable, Codable {
    package enum Kind: String, Sendable, Codable {
        /// From one frame to the next.
        case hard
        /// A dissolve or a fade through black.
        case gradual
        /// A jump of the file's timestamps. Nothing is linked across it, because it hides how the frames relate.
        case discontinuity
    }

    package var kind: Kind
    /// The first sample of the new shot; for a gradual change, the first in which the new shot prevails.
    package var sample: Int
    package var seconds: Double

    package init(kind: Kind, sample: Int, seconds: Double) {
        (self.kind, self.sample, self.seconds) = (kind, sample, seconds)
    }
}

/// Detects shot changes from the signatures of successive samples at any sampling rate.
///
/// A hard cut is a step: all samples before it differ from all samples after it, by more than neighbouring samples
/// differ. After a flash or a passing object, the scene returns; whip pans blur samples; a person who enters or leaves
/// changes nothing else. None of these is a step. Between similar shots, a step must fill the frame (`FaintCut`). A
/// dissolve is detected at its end (`GradualChange`). Keeps at most a hundred signatures of the last three seconds.
package struct ShotDetector: Sendable {
    struct Sample: Sendable {
        var number: Int
        var seconds: Double
        var signature: FrameSignature
        /// Difference of content from the previous sample, 0…1; 0 for the first.
        var step: Double
        var travel: Double
        /// Fractions of the frame's sides.
        var faces: [Rectangle] = []
    }

    static let minimumStep = 0.3
    /// Smaller differences of structure are changes of light.
    static let minimumStructure = 0.17
    /// So many samples and seconds must follow before a sample is decided: at a high rate, a flash lasts many samples.
    private static let lookAheadSamples = 3, lookAheadSeconds = 0.35
    private static let longestDisturbance = 0.5
    /// How many samples away a blurred sample may have sharp ones: at a high rate, a whip pan lasts several.
    private static let smearReach = 10
    private static let memorySeconds = 3.2, memorySamples = 100

    private var samples: [Sample] = []
    private var count = 0, nextToDecide = 0
    /// In order of time.
    package private(set) var changes: [ShotChange] = []

    package init() {}

    /// Adds the next sample. The face boxes are fractions of the frame's sides, 0…1.
    package mutating func add(_ signature: FrameSignature, faces: [Rectangle] = [], seconds: Double) {
        let comparison = samples.last.map { SignatureComparison($0.signature, signature) }
        // The same scene under different light is the same shot.
        let step = comparison.map { $0.structure < Self.minimumStructure ? min($0.total, 0.2) : $0.total } ?? 0
        let travel = samples.last.map { $0.signature.distance(to: signature) } ?? 0
        samples.append(
            Sample(number: count, seconds: seconds, signature: signature, step: step, travel: travel, faces: faces))
        count += 1
        while nextToDecide + Self.lookAheadSamples < count {
            let position = samples.count - (count - nextToDecide)
            // At a very high rate, nothing is forgotten before it is decided.
            guard
                samples.count > Self.memorySamples && position <= Self.smearReach
                    || seconds - samples[position].seconds >= Self.lookAheadSeconds - 1e-6
            else { break }
            decide(at: position)
            nextToDecide += 1
        }
        while samples.count > Self.memorySamples
            || (samples.count > 8 && seconds - samples[0].seconds > Self.memorySeconds)
        { samples.removeFirst() }
    }

    package mutating func finish() {
        for position in samples.indices where samples[position].number >= nextToDecide { decide(at: position) }
        nextToDecide = count
    }

    private mutating func decide(at position: Int) {
        guard position > 0 else { return }
        if isHardCut(at: position)
            || FaintCut.isCut(samples, from: position - 1, to: position) && !isDisturbance(at: position)
        {
            note(.hard, samples[position])
        } else if let begin = FaintCut.beginOfMixture(before: position, of: samples), !comesBack(at: position) {
            // The step to the mixture may have been a cut by itself.
            if changes.last.map({ $0.sample < samples[position - 1].number }) ?? true { note(.hard, samples[begin]) }
        } else if let middle = GradualChange.middle(samples, endingAt: position, after: changes.last?.sample) {
            note(.gradual, samples[middle])
        }
    }

    private mutating func note(_ kind: ShotChange.Kind, _ sample: Sample) {
        changes.append(ShotChange(kind: kind, sample: sample.number, seconds: sample.seconds))
    }

    private func isHardCut(at position: Int) -> Bool {
        if samples[position].signature.isFeatureless { return false }
        if samples[position - 1].signature.isFeatureless { return isCutThroughBlack(to: position) }
        let step = samples[position].step
        guard step > Self.minimumStep else { return false }
        // Motion continues over several samples, while a cut is isolated.
        let level = [position - 1, position + 1].filter { 1..<samples.count ~= $0 }.map { min(samples[$0].step, step) }
        let local = level.isEmpty ? 0 : level.reduce(0, +) / Double(level.count)
        return step > Self.minimumStep + 0.35 * local && !isDisturbance(at: position)
    }

    private func isDisturbance(at position: Int) -> Bool {
        isSmeared(position) || isSmeared(position - 1) || comesBack(at: position)
            || EntranceOrExit.explains(samples[position - 1], samples[position])
    }

    private func isCutThroughBlack(to position: Int) -> Bool {
        guard let last = samples[..<position].lastIndex(where: { !$0.signature.isFeatureless }) else { return false }
        let (from, to) = (samples[last].signature, samples[position].signature)
        guard SignatureComparison(from, to).total > Self.minimumStep + 0.05 else { return false }
        // During a fade, the contrast already falls before the black, or still rises after it.
        let isAbruptEnd = last == 0 || samples[last - 1].signature.contrast < 1.3 * from.contrast
        let isAbruptBegin =
            position + 1 >= samples.count || samples[position + 1].signature.contrast < 1.3 * to.contrast
        return isAbruptEnd && isAbruptBegin
    }

    /// Whether the scene returns after a flash or something in front of the lens.
    private func comesBack(at position: Int) -> Bool {
        // The disturbance may start here (compare the previous sample with later ones) or end here.
        let time = samples[position].seconds
        let reach = { (other: Int) in abs(samples[other].seconds - time) <= Self.longestDisturbance + 1e-6 }
        let into = (position + 1..<samples.count).filter { $0 <= position + 2 || reach($0) }.map { (position - 1, $0) }
        let outOf = (0..<position - 1).filter { $0 >= position - 3 || reach($0) }.map { ($0, position) }
        let steps = into + outOf + [(position - 2, position + 1)]
        return steps.contains { from, to in
            guard from >= 0, to < samples.count, samples[to].seconds - samples[from].seconds < 1.3 else { return false }
            let between = samples[from + 1..<to]
            guard !between.isEmpty, SignatureComparison(samples[from].signature, samples[to].signature).total < 0.22
            else { return false }
            // A short shot in between has normal frames; a disturbance is brighter, darker or blurred.
            let light = (samples[from].signature.brightness + samples[to].signature.brightness) / 2
            return between.allSatisfy {
                abs($0.signature.brightness - light) > 22 || isBlurred($0.signature, beside: samples[from].signature)
            }
        }
    }

    /// Whether the sample is much less sharp than the sharpest ones just before and after it.
    private func isSmeared(_ position: Int) -> Bool {
        func sharpest(_ range: ClosedRange<Int>) -> FrameSignature? {
            range.clamped(to: 0...samples.count - 1).lazy.filter { $0 != position && range.contains($0) }
                .filter { abs(samples[$0].seconds - samples[position].seconds) < 0.75 || abs($0 - position) == 1 }
                .map { samples[$0].signature }
                .max { min($0.edgesAcross, $0.edgesDown) < min($1.edgesAcross, $1.edgesDown) }
        }
        // Samples further apart than this do not show a whip pan.
        guard position > 0, position + 1 < samples.count,
            samples[position + 1].seconds - samples[position - 1].seconds < 0.6,
            let before = sharpest(position - Self.smearReach...position - 1),
            let after = sharpest(position + 1...position + Self.smearReach)
        else { return false }
        let signature = samples[position].signature
        // Between two large steps, less blur indicates camera motion.
        let (into, out) = (samples[position].step, samples[position + 1].step)
        let limit: Float = min(into, out) > 0.25 ? 0.75 : 0.45
        // A new shot may start blurred and become sharp. After a whip pan, the next sample differs as well.
        return min(into, out) > 0.2 && isBlurred(signature, beside: before, limit: limit)
            && isBlurred(signature, beside: after, limit: limit)
    }

    private func isBlurred(_ one: FrameSignature, beside other: FrameSignature, limit: Float = 0.45) -> Bool {
        min(one.edgesAcross / max(other.edgesAcross, 0.5), one.edgesDown / max(other.edgesDown, 0.5)) < limit
    }
}

/// A person who enters or leaves close to the lens: much of the frame changes, but the rest of it does not.
enum EntranceOrExit {
    /// Fraction of the frame outside the bodies.
    private static let minimumRest = 0.3
    /// In luma, 0…255.
    private static let maximumDifference: Float = 12
    /// Fraction of the cells outside the bodies.
    private static let minimumStaying = 0.9

    static func explains(_ before: ShotDetector.Sample, _ after: ShotDetector.Sample) -> Bool {
        let gone = before.faces.filter { face in !after.faces.contains { isNear(face, $0) } }
        let come = after.faces.filter { face in !before.faces.contains { isNear(face, $0) } }
        // A different face in another position may be another shot.
        guard gone.isEmpty != come.isEmpty else { return false }
        let bodies = (gone + come).map(body)
        let side = FrameSignature.side
        let rest = (0..<side * side).filter { cell in
            let x = (Double(cell % side) + 0.5) / Double(side)
            let y = (Double(cell / side) + 0.5) / Double(side)
            return !bodies.contains { $0.x <= x && x <= $0.x + $0.width && $0.y <= y && y <= $0.y + $0.height }
        }
        let (old, new) = (before.signature.thumbnail, after.signature.thumbnail)
        let staying = rest.count { abs(old[$0] - new[$0]) < maximumDifference }
        return Double(rest.count) >= minimumRest * Double(side * side)
            && Double(staying) >= minimumStaying * Double(rest.count)
    }

    private static func isNear(_ a: Rectangle, _ b: Rectangle) -> Bool { a.intersectionOverUnion(with: b) > 0.1 }

    /// Hair and shoulders, down to the frame's lower edge and out to its nearer side, where the other sample may show
    /// half of the person. In fractions of the frame.
    private static func body(of face: Rectangle) -> Rectangle {
        let top = face.y - 0.6 * face.height
        var (left, right) = (face.x - 0.9 * face.width, face.x + 1.9 * face.width)
        if left < 1 - right { left = 0 } else { right = 1 }
        return Rectangle(x: left, y: top, width: right - left, height: max(1 - top, 0))
    }
}
