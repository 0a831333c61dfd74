import TestSupport
import Testing

import VidscanFaces

@Suite("Average linkage")
struct AverageLinkageTests {
    /// Joins the nearest pair first, until none is below 0, and computes each mean from the items.
    private static func nearestFirst(weights: [Double], distances: [[Double]]) -> [Int] {
        var groups = weights.indices.map { [$0] }
        func mean(_ one: [Int], _ other: [Int]) -> Double {
            let (a, b) = (one.reduce(0) { $0 + weights[$1] }, other.reduce(0) { $0 + weights[$1] })
            let sum = one.reduce(0) { sum, i in
                other.reduce(sum) { $0 + weights[i] * weights[$1] * distances[i][$1] }
            }
            return sum / (a * b)
        }
        while true {
            let pairs = groups.indices.flatMap { i in (i + 1..<max(groups.count, i + 1)).map { (i, $0) } }
            let nearest = pairs.map { ($0, mean(groups[$0.0], groups[$0.1])) }.min { $0.1 < $1.1 }
            guard let nearest, nearest.1 < 0 else { break }
            groups[nearest.0.0] += groups.remove(at: nearest.0.1)
        }
        var owner = [Int](repeating: 0, count: weights.count)
        for group in groups { for item in group { owner[item] = group.min() ?? 0 } }
        return owner
    }

    @Test("The chain finds the same groups as joining the nearest pair first", arguments: 0 as UInt64..<40)
    func groups(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let count = Int.random(in: 1...24, using: &generator)
        let weights = (0..<count).map { _ in Double(Int.random(in: 1...5, using: &generator)) }
        var distances = [[Double]](repeating: [Double](repeating: 0, count: count), count: count)
        for second in 0..<count {
            for first in 0..<second {
                let mustStayApart = Int.random(in: 0..<6, using: &generator) == 0
                let value = mustStayApart ? .infinity : Double.random(in: -0.6...0.4, using: &generator)
                (distances[first][second], distances[second][first]) = (value, value)
            }
        }
        var linkage = DistanceMatrix(weights: weights) { distances[$0][$1] }
        linkage.linkAll(0..<count)
        #expect(linkage.groups == Self.nearestFirst(weights: weights, distances: distances))
    }

    @Test("The limit of a video follows its people who are seen together, within bounds")
    func limits() {
        #expect(IdentityCalibration.limit([]) == .infinity)
        #expect(IdentityCalibration.limit([0.2]) == 0.35)
        #expect(IdentityCalibration.limit([0.9]) == 0.95 * 0.9)
        // The lowest tenth counts.
        #expect(IdentityCalibration.limit((0..<20).map { $0 < 2 ? 0.1 : 0.48 }) == 0.95 * 0.48)
    }
}
