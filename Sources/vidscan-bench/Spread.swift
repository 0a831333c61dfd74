internal import Foundation

/// The middle and both ends of some measurements of the same thing.
struct Spread {
    let median: Double
    let least: Double
    let most: Double

    /// - Parameter values: at least one.
    init(_ values: [Double]) {
        precondition(!values.isEmpty, "a spread of nothing")
        let sorted = values.sorted()
        let middle = sorted.count / 2
        median = sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
        least = sorted[0]
        most = sorted[sorted.count - 1]
    }

    /// `0.71 (0.69–0.74)`, or `0.71` when only one was measured.
    func text(decimals: Int) -> String {
        let number = { String(format: "%.\(decimals)f", $0) }
        return least == most ? number(median) : "\(number(median)) (\(number(least))–\(number(most)))"
    }
}
