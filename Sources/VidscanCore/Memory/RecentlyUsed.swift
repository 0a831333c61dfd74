/// A dictionary of bounded size: what has not been asked for the longest gives way to what is new.
public struct RecentlyUsed<Key: Hashable, Value> {
    public let capacity: Int
    /// The one that was asked for last comes last.
    private var entries: [(key: Key, value: Value)] = []

    /// - Parameter capacity: at least 1.
    public init(capacity: Int) {
        precondition(capacity > 0, "nothing fits into none")
        self.capacity = capacity
    }

    public var count: Int { entries.count }

    /// The value of a key, which counts as used by this; `nil` when it is not, or no longer, there.
    public mutating func value(for key: Key) -> Value? {
        guard let index = entries.firstIndex(where: { $0.key == key }) else { return nil }
        let entry = entries.remove(at: index)
        entries.append(entry)
        return entry.value
    }

    /// Makes room before something is made for a key: it never lies beside as many others as fit.
    public mutating func makeRoom() {
        if entries.count >= capacity { entries.removeFirst(entries.count - capacity + 1) }
    }

    /// Adds a value, or replaces the key's own.
    public mutating func insert(_ value: Value, for key: Key) {
        entries.removeAll { $0.key == key }
        makeRoom()
        entries.append((key, value))
    }
}

extension RecentlyUsed: Sendable where Key: Sendable, Value: Sendable {}
