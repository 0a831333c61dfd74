/// One part of a batch that is divided among machines.
public struct BatchShard: Sendable, Equatable {
    /// From 0.
    public var index: Int
    public var count: Int

    public init?(index: Int, count: Int) {
        guard count > 0, (0..<count).contains(index) else { return nil }
        self.index = index
        self.count = count
    }

    /// Whether an input belongs to it: by its place alone, so that every machine comes to the same answer.
    public func holds(_ place: String) -> Bool {
        // FNV-1a, 64 bit (Fowler, Noll and Vo).
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in place.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        // Its low bits are the last bytes' more than the others'.
        hash ^= hash >> 32
        return Int(hash % UInt64(count)) == index
    }

    /// Every shard has a journal of its own: no two machines write to one file.
    var journalName: String { "batch-\(index)-of-\(count)" }
}
