/// A dictionary of limited total weight that evicts the least recently used values first.
public struct LRUCache<Key: Hashable, Value> {
    fileprivate struct Entry {
        var key: Key
        var value: Value
        var weight: Int
    }

    /// The maximum total weight of all values. A single value that is heavier is kept until another one is inserted.
    public let capacity: Int
    /// The entries, least recently used first.
    private var entries: [Entry] = []

    /// - Parameter capacity: The maximum total weight, in the unit of the weights.
    public init(capacity: Int) {
        self.capacity = capacity
    }

    public var count: Int { entries.count }
    public var weight: Int { entries.reduce(0) { $0 + $1.weight } }

    /// Returns the value for a key and marks it as recently used, or returns `nil` if the cache does not hold it.
    public mutating func value(for key: Key) -> Value? {
        guard let index = entries.firstIndex(where: { $0.key == key }) else { return nil }
        let entry = entries.remove(at: index)
        entries.append(entry)
        return entry.value
    }

    /// Evicts values until one of this weight fits. Call this before you create a large value, so that the old values
    /// and the new one never exceed the capacity together.
    public mutating func makeRoom(for weight: Int) {
        while !entries.isEmpty, self.weight + weight > capacity { entries.removeFirst() }
    }

    /// Inserts a value, or replaces the value of the key.
    public mutating func insert(_ value: Value, for key: Key, weight: Int) {
        entries.removeAll { $0.key == key }
        makeRoom(for: weight)
        entries.append(Entry(key: key, value: value, weight: weight))
    }
}

extension LRUCache.Entry: Sendable where Key: Sendable, Value: Sendable {}
extension LRUCache: Sendable where Key: Sendable, Value: Sendable {}
