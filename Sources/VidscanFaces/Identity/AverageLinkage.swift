/// Agglomerative clustering with average linkage and cannot-link constraints (Sokal and Michener, "A statistical method
/// for evaluating systematic relationships", 1958; Wagstaff and Cardie, "Clustering with instance-level constraints",
/// ICML 2000).
///
/// The two nearest groups are joined first, the ones with the lowest indices among equals. The distance of two groups
/// is the weighted mean of the distances between their items.
struct AverageLinkage {
    /// The distances of items and then of groups, symmetric; infinite for those that must stay apart.
    private var distances: [Double]
    private var weights: [Double]
    private let count: Int
    /// The nearest other group of each group, and whether the group still exists.
    private var nearest: [Int?]
    private var isActive: [Bool]
    /// The group of each item, by the lowest index of its items.
    private(set) var groups: [Int]

    /// - Parameters:
    ///   - weights: The weight of each item, above 0.
    ///   - distance: The distance of two items, the first with the lower index; infinite for a pair that must stay apart.
    init(weights: [Double], distance: (Int, Int) -> Double) {
        count = weights.count
        self.weights = weights
        distances = [Double](repeating: .infinity, count: count * count)
        nearest = [Int?](repeating: nil, count: count)
        isActive = [Bool](repeating: true, count: count)
        groups = Array(0..<count)
        for second in 0..<count {
            for first in 0..<second {
                let value = distance(first, second)
                distances[first * count + second] = value
                distances[second * count + first] = value
            }
        }
    }

    /// Joins groups until no two are nearer to each other than a limit.
    mutating func join(below limit: Double) {
        for item in 0..<count { nearest[item] = nearestGroup(to: item) }
        while let (first, second) = nearestPair(), distances[first * count + second] < limit {
            let (one, other) = (weights[first], weights[second])
            for item in 0..<count where isActive[item] && item != first && item != second {
                let mean =
                    (one * distances[first * count + item] + other * distances[second * count + item]) / (one + other)
                distances[first * count + item] = mean
                distances[item * count + first] = mean
            }
            weights[first] = one + other
            isActive[second] = false
            for item in 0..<count where groups[item] == second { groups[item] = first }
            for item in 0..<count where isActive[item] {
                if item == first || nearest[item] == first || nearest[item] == second {
                    nearest[item] = nearestGroup(to: item)
                }
            }
        }
    }

    /// Returns the nearest group with a higher index.
    private func nearestGroup(to item: Int) -> Int? {
        var best: Int?
        for other in item + 1..<max(count, item + 1) where isActive[other] {
            let value = distances[item * count + other]
            if value < best.map({ distances[item * count + $0] }) ?? .infinity { best = other }
        }
        return best
    }

    private func nearestPair() -> (Int, Int)? {
        var best: (Int, Int)?
        for item in 0..<count where isActive[item] {
            guard let other = nearest[item] else { continue }
            let value = distances[item * count + other]
            if value < best.map({ distances[$0.0 * count + $0.1] }) ?? .infinity { best = (item, other) }
        }
        return best
    }
}
