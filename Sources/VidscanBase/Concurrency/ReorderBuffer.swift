/// Restores the order of results by their sequence numbers, from 0. Inserting a number twice is a programming error.
package struct ReorderBuffer<Element> {
    private var waiting: [Int: Element] = [:]
    private var nextSequence = 0

    package init() {}

    package var count: Int { waiting.count }

    /// Returns the results that are ready now, in order; empty while an earlier one is missing.
    package mutating func insert(_ element: Element, sequence: Int) -> [Element] {
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
