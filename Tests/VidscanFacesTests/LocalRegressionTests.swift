import Testing
import VidscanBase
import VidscanFaces

@Suite("Local regression smooths without lag")
struct LocalRegressionTests {

    private func smooth(_ offsets: [Double], _ value: (Double) -> Double) -> Double {
        zip(LocalRegression.factors(offsets: offsets), offsets).reduce(0) { $0 + $1.0 * value($1.1) }
    }

    @Test("A parabola passes unchanged and without lag, also from unevenly spaced samples")
    func parabola() {
        let curve = { (t: Double) in 3 - 40 * t + 90 * t * t }
        #expect(abs(smooth([0, -0.3, -0.2, -0.1, 0.1, 0.2, 0.3], curve) - 3) < 1e-9)
        #expect(abs(smooth([0, -0.28, -0.11, 0.03, 0.19, 0.3], curve) - 3) < 1e-9)
        #expect(abs(smooth([0, 0.04, 0.08, 0.12, 0.16], curve) - 3) < 1e-9)
    }

    @Test("The noise of a dense series is halved")
    func noise() {
        let offsets = [0] + stride(from: -0.28, through: 0.28, by: 0.04).filter { abs($0) > 0.01 }
        let gain = LocalRegression.factors(offsets: offsets).reduce(0) { $0 + $1 * $1 }
        // The standard deviation of independent noise is multiplied by the root of the sum of the squared factors.
        #expect(gain.squareRoot() < 0.55)
    }

    @Test("A sparse series is unchanged")
    func sparse() {
        #expect(LocalRegression.factors(offsets: [-0.2, 0, 0.2]) == [0, 1, 0])
        #expect(LocalRegression.factors(offsets: [0]) == [1])
        // A neighbour may have the same time.
        #expect(LocalRegression.factors(offsets: [0, 0, 0.2]) == [1, 0, 0])
        #expect(LocalRegression.factors(offsets: [0, 0, 0, 0.2, 0.2, 0.2]) == [1, 0, 0, 0, 0, 0])
    }
}
