/// A dictionary of bounded weight: what has not been asked for the longest gives way to what is new.
public struct LRUCache<Key: Hashable, Value> {
    fileprivate struct Entry {
        var key: Key
        var value: Value
        var weight: Int
    }

    /// Of all values together; one that is heavier alone is kept until another comes.
    public let capacity: Int
    /// The one that was asked for last comes last.
    private var entries: [Entry] = []

    /// - Parameter capacity: in the unit of the weights.
    public init(capacity: Int) {
        self.capacity = capacity
    }

    public var count: Int { entries.count }
    public var weight: Int { entries.reduce(0) { $0 + $1.weight } }

    /// The value of a key, which counts as used by this; `nil` when it is not, or no longer, there.
    public mutating func value(for key: Key) -> Value? {
        guard let index = entries.firstIndex(where: { $0.key == key }) else { return nil }
        let entry = entries.remove(at: index)
        entries.append(entry)
        return entry.value
    }

    /// Makes room before something of a weight is made, so that it never lies beside more than fits.
    public mutating func makeRoom(for weight: Int) {
        while !entries.isEmpty, self.weight + weight > capacity { entries.removeFirst() }
    }

    /// Adds a value, or replaces the key's own.
    public mutating func insert(_ value: Value, for key: Key, weight: Int) {
        entries.removeAll { $0.key == key }
        makeRoom(for: weight)
        entries.append(Entry(key: key, value: value, weight: weight))
    }
}

extension LRUCache.Entry: Sendable where Key: Sendable, Value: Sendable {}
extension LRUCache: Sendable where Key: Sendable, Value: Sendable {}
