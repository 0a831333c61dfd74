/// A cut between two shots of similar content, such as two views of one dark room. The content differs little more than
/// by motion, but it differs everywhere and at once, with calm before and after.
///
/// One frame of a mixture may lie between the shots, which a conversion of the frame rate leaves there.
enum FaintCut {
    /// The minimum difference of content, above that of the calmer samples around the cut.
    private static let minimumStep = 0.1
    private static let minimumStructure = 0.15
    /// The minimum fraction of the frame that differs. Someone who moves leaves much of it unchanged.
    private static let minimumChangedShare = 0.87
    /// The maximum residual of a mixture, as `GradualChange.fit` returns it.
    private static let maximumUnexplained = 0.25
    /// The minimum share of each shot in a mixture.
    private static let minimumShare = 0.05

    /// Returns whether a sample differs from the previous one as at a faint cut.
    static func precedes(_ position: Int, of samples: [ShotDetector.Sample]) -> Bool {
        position > 0 && isCut(samples, from: position - 1, to: position)
    }

    /// Returns the position of the first sample in which the new shot prevails, if the sample before a position is a
    /// mixture of two shots.
    static func beginOfMixture(before position: Int, of samples: [ShotDetector.Sample]) -> Int? {
        guard position > 1, isCut(samples, from: position - 2, to: position) else { return nil }
        let (first, mixture, last) = (
            samples[position - 2].signature, samples[position - 1].signature, samples[position].signature
        )
        let (old, new, unexplained) = GradualChange.fit(mixture.thumbnail, first.thumbnail, last.thumbnail)
        guard min(old, new) > minimumShare, unexplained < maximumUnexplained else { return nil }
        return new > old ? position - 1 : position
    }

    private static func isCut(_ samples: [ShotDetector.Sample], from first: Int, to last: Int) -> Bool {
        let before = first > 0 ? samples[first].step : 0
        let after = last + 1 < samples.count ? samples[last + 1].step : 0
        let limit = minimumStep + max(before, after)
        // Where a mixture halves the step, the sum of both halves may be half of the whole. This saves the comparison for
        // almost all samples.
        guard samples[first + 1...last].reduce(0, { $0 + $1.step }) > limit / 2,
            !samples[first].signature.isFeatureless, !samples[last].signature.isFeatureless
        else { return false }
        let (old, new) = (samples[first].signature, samples[last].signature)
        let comparison = SignatureComparison(old, new)
        return comparison.total > limit && comparison.structure >= minimumStructure
            && old.changedShare(to: new) >= minimumChangedShare
    }
}
