internal import VidscanBase

/// One of several shares of a batch that is divided among machines.
public struct BatchShard: Sendable, Equatable {
    /// From 0.
    public var index: Int
    public var count: Int

    public init?(index: Int, count: Int) {
        guard count > 0, (0..<count).contains(index) else { return nil }
        self.index = index
        self.count = count
    }

    /// Whether a file belongs to the shard, which its absolute path alone decides.
    ///
    /// All machines that see the files under the same paths therefore agree, whichever folders are named together, and
    /// whether a file is named itself or found in a folder.
    public func contains(_ path: String) -> Bool {
        var hash = FNV.hash(path.utf8)
        // The low bits depend mostly on the last bytes of the path.
        hash ^= hash >> 32
        return Int(hash % UInt64(count)) == index
    }

    /// The shard's share of all inputs of a batch, with result paths that no other shard uses.
    ///
    /// Shards do not know each other's journals. Inputs with the same result path can therefore not be numbered; the name
    /// of each gets a digest of the input's path instead.
    public func select(from inputs: [BatchInput]) -> [BatchInput] {
        let uses = Dictionary(inputs.map { (PathBytes($0.resultPath), 1) }, uniquingKeysWith: +)
        return inputs.filter { contains($0.path) }.map { input in
            guard uses[PathBytes(input.resultPath), default: 0] > 1 else { return input }
            var input = input
            input.resultPath = Self.uniqueResultPath(for: input)
            return input
        }
    }

    /// `a.mp4-0123456789abcdef.vidscan`. Two input paths with the same digest belong to the same shard, whose journal
    /// resolves the conflict.
    static func uniqueResultPath(for input: BatchInput) -> String {
        let digest = String(FNV.hash(input.path.utf8), radix: 16)
        let zeros = String(repeating: "0", count: 16 - digest.count)
        return "\(input.resultPath.dropLast(".vidscan".count))-\(zeros)\(digest).vidscan"
    }

    /// Each shard has its own journal, so that no two machines write to the same file.
    var journalName: String { "batch-\(index)-of-\(count)" }

    /// Follows the name of each report file.
    var fileSuffix: String { "-\(index)-of-\(count)" }
}
