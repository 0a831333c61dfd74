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

    /// Whether a file belongs to it: by its absolute path alone, which is what a journal knows a file by.
    ///
    /// So it does not matter which folders are named together with it, nor whether it is found in one of them or named
    /// itself, and all machines that see the files under the same paths come to the same answer.
    public func holds(_ path: String) -> Bool {
        var hash = Self.hash(path)
        // Its low bits are the last bytes' more than the others'.
        hash ^= hash >> 32
        return Int(hash % UInt64(count)) == index
    }

    /// Its share of all inputs of a batch, with places that no other shard comes to.
    ///
    /// Shards do not know each other's journals, so inputs that ask for one place cannot be numbered: each gets a digest
    /// of its path into the name.
    public func own(_ inputs: [BatchInput]) -> [BatchInput] {
        let wishes = Dictionary(inputs.map { ($0.place, 1) }, uniquingKeysWith: +)
        return inputs.filter { holds($0.path) }.map { input in
            guard wishes[input.place, default: 0] > 1 else { return input }
            var input = input
            input.place = Self.distinctPlace(for: input)
            return input
        }
    }

    /// `a.mp4-0123456789abcdef.vidscan`. Two paths of one digest belong to one shard, whose journal tells them apart.
    static func distinctPlace(for input: BatchInput) -> String {
        let digest = String(hash(input.path), radix: 16)
        let zeros = String(repeating: "0", count: 16 - digest.count)
        return "\(input.place.dropLast(".vidscan".count))-\(zeros)\(digest).vidscan"
    }

    /// FNV-1a, 64 bit (Fowler, Noll and Vo).
    private static func hash(_ path: String) -> UInt64 {
        path.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    /// Every shard has a journal of its own: no two machines write to one file.
    var journalName: String { "batch-\(index)-of-\(count)" }
}
