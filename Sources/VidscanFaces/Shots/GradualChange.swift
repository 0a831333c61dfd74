/// Detects dissolves and fades through black: runs of samples whose frames are mixtures of the first and last frame.
enum GradualChange {
    /// In samples, between the two ends that are tested.
    private static let spans = [2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 75]
    private static let longestSeconds = 2.6
    /// Residual of a mixture, as `fit` returns it.
    private static let maximumUnexplained = 0.42

    /// Where the new shot prevails, if `end` is the first sample after a change that begins at number `after` or later.
    static func middle(_ samples: [ShotDetector.Sample], endingAt end: Int, after: Int?) -> Int? {
        for span in spans {
            let start = end - span
            guard start >= 0, samples[end].seconds - samples[start].seconds <= longestSeconds else { return nil }
            if let after, samples[start].number < after { return nil }
            let (first, last) = (samples[start].signature, samples[end].signature)
            guard min(first.contrast, last.contrast) > 12, first.distance(to: last) > 14 else { continue }
            guard isBetweenCalm(samples, start, end), let middle = mixture(samples[start...end]) else { continue }
            let content = SignatureComparison(first, last)
            if content.total > 0.35, content.structure > 0.4 { return middle }
        }
        return nil
    }

    /// Whether the frames just before and after change little compared to the run, so that the run is the whole change.
    private static func isBetweenCalm(_ samples: [ShotDetector.Sample], _ start: Int, _ end: Int) -> Bool {
        let pace = samples[start + 1...end].reduce(0) { $0 + $1.travel } / Double(end - start)
        let before = samples[start].number > 0 ? samples[start].travel : 0
        let after = end + 1 < samples.count ? samples[end + 1].travel : 0
        return max(before, after) < 0.9 * pace && before + after < 1.2 * pace
    }

    private static func mixture(_ stretch: ArraySlice<ShotDetector.Sample>) -> Int? {
        let first = stretch[stretch.startIndex].signature.thumbnail
        let last = stretch[stretch.endIndex - 1].signature.thumbnail
        let inner = stretch.dropFirst().dropLast()
        var middle: Int?
        var mixed = 0
        var previous = 1.0
        for position in inner.indices {
            let (old, new, unexplained) = fit(inner[position].signature.thumbnail, first, last)
            guard unexplained < maximumUnexplained, old > -0.15, new > -0.15, old < previous + 0.15 else { return nil }
            previous = old
            if min(old, new) > 0.12 || old + new < 0.6 { mixed += 1 }
            if new > old, middle == nil { middle = position }
        }
        guard mixed > 0, mixed * 4 >= inner.count else { return nil }
        return middle ?? stretch.endIndex - 1
    }

    /// Least squares for frame = old · first + new · last + constant. The residual is relative to the lower contrast.
    static func fit(
        _ image: [Float], _ first: [Float], _ last: [Float]
    ) -> (old: Double, new: Double, unexplained: Double) {
        let count = Double(image.count)
        let means = [image, first, last].map { Double($0.reduce(0, +)) / count }
        var (aa, ab, bb, ap, bp, pp) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        for index in image.indices {
            let p = Double(image[index]) - means[0]
            let (a, b) = (Double(first[index]) - means[1], Double(last[index]) - means[2])
            aa += a * a
            ab += a * b
            bb += b * b
            ap += a * p
            bp += b * p
            pp += p * p
        }
        let determinant = aa * bb - ab * ab
        guard determinant > 1e-3 * aa * bb, determinant > 0 else { return (0, 0, 1) }
        let (old, new) = ((ap * bb - bp * ab) / determinant, (bp * aa - ap * ab) / determinant)
        let rest = max(0, pp - old * ap - new * bp)
        return (old, new, (rest / max(min(aa, bb), 1)).squareRoot())
    }
}

/// A cut between two shots of similar content, such as two views of one dark room: it differs little more than by
/// motion, but everywhere and at once. A conversion of the frame rate may leave one mixed frame in between.
enum FaintCut {
    /// Above the difference of the calmer samples around the cut.
    private static let minimumStep = 0.1
    private static let minimumStructure = 0.15
    /// Someone who moves leaves much of the frame unchanged.
    static let minimumChangedFraction = 0.87
    private static let maximumUnexplained = 0.25
    /// Of each shot in a mixture.
    private static let minimumFraction = 0.05

    /// The first sample in which the new shot prevails, if the one before `position` is a mixture of two shots.
    static func beginOfMixture(before position: Int, of samples: [ShotDetector.Sample]) -> Int? {
        guard position > 1, isCut(samples, from: position - 2, to: position) else { return nil }
        let frames = samples[position - 2...position].map(\.signature.thumbnail)
        let (old, new, unexplained) = GradualChange.fit(frames[1], frames[0], frames[2])
        guard min(old, new) > minimumFraction, unexplained < maximumUnexplained else { return nil }
        return new > old ? position - 1 : position
    }

    static func isCut(_ samples: [ShotDetector.Sample], from first: Int, to last: Int) -> Bool {
        let before = first > 0 ? samples[first].step : 0
        let after = last + 1 < samples.count ? samples[last + 1].step : 0
        let limit = minimumStep + max(before, after)
        // Where a mixture halves the step, the halves may add up to half of the whole. This saves most comparisons.
        guard samples[first + 1...last].reduce(0, { $0 + $1.step }) > limit / 2,
            !samples[first].signature.isFeatureless, !samples[last].signature.isFeatureless
        else { return false }
        let (old, new) = (samples[first].signature, samples[last].signature)
        let comparison = SignatureComparison(old, new)
        return comparison.total > limit && comparison.structure >= minimumStructure
            && old.changedFraction(to: new) >= minimumChangedFraction
    }
}
