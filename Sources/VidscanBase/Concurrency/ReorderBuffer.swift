/// Puts results that finish in any order back into the order of their sequence numbers.
///
/// Every number from 0 on comes exactly once; a second one of the same number is an error in the caller.
public struct ReorderBuffer<Element> {
    private var waiting: [Int: Element] = [:]
    private var nextSequence = 0

    public init() {}

    /// Results held back because an earlier one is missing.
    public var count: Int { waiting.count }

    /// Adds one result.
    ///
    /// - Returns: the results that are now next in line, in order; empty while an earlier one is missing.
    public mutating func insert(_ element: Element, sequence: Int) -> [Element] {
        precondition(sequence >= nextSequence && waiting[sequence] == nil, "sequence number \(sequence) came twice")
        waiting[sequence] = element
        var ready: [Element] = []
        while let element = waiting.removeValue(forKey: nextSequence) {
            ready.append(element)
            nextSequence += 1
        }
        return ready
    }
}
