internal import Foundation

/// The median, minimum and maximum of repeated measurements.
struct Spread {
    let median: Double
    let minimum: Double
    let maximum: Double

    /// Computes the spread.
    ///
    /// - Parameter values: The measurements, at least one.
    init(_ values: [Double]) {
        precondition(!values.isEmpty, "a spread of no values")
        let sorted = values.sorted()
        let middle = sorted.count / 2
        median = sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
        minimum = sorted[0]
        maximum = sorted[sorted.count - 1]
    }

    /// Returns, for example, `0.71 (0.69–0.74)`, or `0.71` if all values are equal.
    func text(decimals: Int) -> String {
        let number = { String(format: "%.\(decimals)f", $0) }
        return minimum == maximum ? number(median) : "\(number(median)) (\(number(minimum))–\(number(maximum)))"
    }
}
