internal import Glibc

/// A zero-lag smoother for samples at arbitrary times: a parabola fitted to nearby samples with Gaussian weights
/// (Cleveland, "Robust locally weighted regression", JASA 74, 1979, without the robustness). A parabola preserves the
/// height of peaks. With fewer than five samples within reach, the value is unchanged, because a straighter line would
/// distort peaks by more than the noise.
package enum LocalRegression {
    /// Maximum distance of a sample that is used, in seconds.
    package static let reach = 0.3
    /// Standard deviation of the weights, in seconds.
    private static let width = 0.1

    /// Returns weights for the value at time 0; they sum to 1. Offsets are seconds within `reach`; the first 0 is the sample's.
    package static func factors(offsets: [Double]) -> [Double] {
        let unchanged = offsets.indices.map { $0 == offsets.firstIndex(of: 0) ? 1.0 : 0 }
        guard offsets.count >= 5 else { return unchanged }
        let weights = offsets.map { exp(-0.5 * ($0 / width) * ($0 / width)) }
        // In units of the reach, so that the moments have similar magnitudes.
        let times = offsets.map { $0 / reach }
        var moments = [Double](repeating: 0, count: 5)
        for (time, weight) in zip(times, weights) {
            var power = weight
            for index in moments.indices {
                moments[index] += power
                power *= time
            }
        }
        let (m0, m1, m2, m3, m4) = (moments[0], moments[1], moments[2], moments[3], moments[4])
        // The first row of the inverse of the moment matrix gives the fitted curve's value at 0 as a sum over samples.
        let (a, b, c) = (m2 * m4 - m3 * m3, m2 * m3 - m1 * m4, m1 * m3 - m2 * m2)
        let determinant = m0 * a + m1 * b + m2 * c
        guard abs(determinant) > 1e-9 else { return unchanged }
        return zip(times, weights).map { $1 * (a + b * $0 + c * $0 * $0) / determinant }
    }
}
