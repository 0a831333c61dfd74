/// Groups by average linkage (Sokal and Michener, "A statistical method for evaluating systematic relationships",
/// 1958), with pairs kept apart (Wagstaff and Cardie, "Clustering with instance-level constraints", ICML 2000).
///
/// ``linkAll(_:)`` follows the nearest-neighbour chain (Murtagh, "A survey of recent advances in hierarchical clustering
/// algorithms", 1983). It finds the same groups as joining the nearest pair first, in quadratic time, if joining never
/// brings a group nearer to a third one than the nearer of its parts was. This holds for the mean distance, also with
/// pairs that must stay apart, unless joining brings a group back into reach.
package protocol AverageLinkage {
    associatedtype Distance: Comparable

    /// `nil` if the groups must stay apart or are too far apart.
    func distance(_ one: Int, _ other: Int) -> Distance?

    /// Returns the nearest group, closer than `bound`, that may be joined to another one; the first among equals.
    func nearest(to group: Int, among candidates: [Int], below bound: Distance?) -> (index: Int, distance: Distance)?

    /// Joins the second group to the first one, which has the lower index.
    mutating func join(_ one: Int, _ other: Int)
}

extension AverageLinkage {
    /// - Parameter changed: If given, other pairs of groups are known to be too far apart.
    package mutating func linkAll(_ groups: some Sequence<Int>, changed: [Int]? = nil) {
        var active = Array(groups)
        var waiting = changed ?? active
        var chain: [Int] = []
        while let last = chain.last ?? waiting.first {
            if chain.isEmpty { chain = [last] }
            var previous = chain.count > 1 ? chain[chain.count - 2] : nil
            let bound = previous.flatMap { distance($0, last) }
            if previous != nil, bound == nil {
                // A group that was joined elsewhere must stay apart from the next one.
                (chain, previous) = ([last], nil)
            }
            if let nearer = nearest(to: last, among: active, below: bound) {
                chain.append(nearer.index)
            } else if let previous {
                chain.removeLast(2)
                let joined = max(previous, last)
                join(min(previous, last), joined)
                active.removeAll { $0 == joined }
                waiting.removeAll { $0 == joined }
                if !waiting.contains(min(previous, last)) { waiting.append(min(previous, last)) }
            } else {
                // Further joins bring nothing near enough to it.
                chain.removeLast()
                active.removeAll { $0 == last }
                waiting.removeAll { $0 == last }
            }
        }
    }
}

/// Joins groups whose distance, the weighted mean between their items, is below 0.
package struct DistanceMatrix: AverageLinkage {
    /// Of items, then of groups; symmetric, and infinite for those that must stay apart.
    private var distances: [Double]
    private var weights: [Double]
    private let count: Int
    /// Group of each item, by the lowest index of its items.
    package private(set) var groups: [Int]

    /// - Parameter distance: Receives the lower index first; infinite for a pair that must stay apart.
    package init(weights: [Double], distance: (Int, Int) -> Double) {
        (count, self.weights) = (weights.count, weights)
        distances = [Double](repeating: .infinity, count: count * count)
        groups = Array(0..<count)
        for second in 0..<count {
            for first in 0..<second {
                let value = distance(first, second)
                distances[first * count + second] = value
                distances[second * count + first] = value
            }
        }
    }

    package func distance(_ one: Int, _ other: Int) -> Double? {
        let value = distances[one * count + other]
        return value < 0 ? value : nil
    }

    package func nearest(to group: Int, among others: [Int], below bound: Double?) -> (index: Int, distance: Double)? {
        var best: (index: Int, distance: Double)?
        for other in others where other != group {
            let value = distances[group * count + other]
            if value < best?.distance ?? bound ?? 0 { best = (other, value) }
        }
        return best
    }

    package mutating func join(_ one: Int, _ other: Int) {
        let (own, added) = (weights[one], weights[other])
        for item in 0..<count where item != one && item != other {
            let mean = (own * distances[one * count + item] + added * distances[other * count + item]) / (own + added)
            distances[one * count + item] = mean
            distances[item * count + one] = mean
        }
        weights[one] = own + added
        for item in 0..<count where groups[item] == other { groups[item] = one }
    }
}
