/// Detects dissolves and fades through black: runs of samples whose frames are mixtures of the first and last frame.
enum GradualChange {
    /// The distances between the two ends that are tested, in samples.
    private static let spans = [2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 75]
    private static let longestSeconds = 2.6
    /// The maximum residual of a mixture, as `fit` returns it.
    private static let maximumUnexplained = 0.42

    /// Finds a gradual change that ends at a sample.
    ///
    /// - Parameters:
    ///   - samples: The samples, in order.
    ///   - end: The position of the first sample after the change.
    ///   - after: The number of the sample of the previous change. The gradual change may not start before it.
    /// - Returns: The position of the first sample in which the new shot prevails, or `nil`.
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

    /// Returns whether the frames just before and after change little compared to the run itself, so that the run is
    /// the whole change and not a part of it.
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

    /// Fits frame = old · first + new · last + constant by least squares.
    ///
    /// - Returns: The fractions of both frames, and the residual relative to the lower contrast of the two.
    static func fit(
        _ image: [Float], _ first: [Float], _ last: [Float]
    ) -> (old: Double, new: Double, unexplained: Double) {
        let count = Double(image.count)
        let means = [image, first, last].map { Double($0.reduce(0, +)) / count }
        var (aa, ab, bb, ap, bp, pp) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        for index in image.indices {
            let p = Double(image[index]) - means[0]
            let a = Double(first[index]) - means[1]
            let b = Double(last[index]) - means[2]
            aa += a * a
            ab += a * b
            bb += b * b
            ap += a * p
            bp += b * p
            pp += p * p
        }
        let determinant = aa * bb - ab * ab
        guard determinant > 1e-3 * aa * bb, determinant > 0 else { return (0, 0, 1) }
        let old = (ap * bb - bp * ab) / determinant
        let new = (bp * aa - ap * ab) / determinant
        let rest = max(0, pp - old * ap - new * bp)
        return (old, new, (rest / max(min(aa, bb), 1)).squareRoot())
    }
}
