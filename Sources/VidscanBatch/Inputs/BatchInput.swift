internal import Foundation
internal import VidscanBase

/// A file to analyse, and the path of its result.
package struct BatchInput: Sendable, Hashable {
    package var path: String
    /// Relative to the batch's folder: `interviews/a.mp4.vidscan`. Unique only after the registration in the journal.
    package var resultPath: String
    package var state: FileState
    /// Whether the user or a list named the file. Such a file must be a video.
    package var isNamed: Bool

    package init(path: String, resultPath: String, state: FileState, isNamed: Bool) {
        (self.path, self.resultPath, self.state, self.isNamed) = (path, resultPath, state, isNamed)
    }
}

/// What the file system says about a file. Times are in nanoseconds since 1970.
package struct FileState: Sendable, Hashable {
    package var bytes, modified: Int64
    /// `st_ctime`, which users cannot set; `nil` if unknown.
    package var changed: Int64?

    package init(bytes: Int64, modified: Int64, changed: Int64? = nil) {
        (self.bytes, self.modified, self.changed) = (bytes, modified, changed)
    }

    /// On `nil`, `errno` says why.
    init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        let nanoseconds = { (time: timespec) in Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec) }
        self.init(
            bytes: Int64(status.st_size), modified: nanoseconds(status.st_mtim), changed: nanoseconds(status.st_ctim))
    }

    /// Whether the file does not exist, rather than cannot be reached now.
    static func isGone(_ path: String) -> Bool { FileSystem.entry(path) == nil && [ENOENT, ENOTDIR].contains(errno) }

    /// Whether nobody has edited the file in between, unless the modification time was set back.
    func looksLike(_ other: FileState) -> Bool { bytes == other.bytes && modified == other.modified }
}

/// A part of a batch that is divided among machines.
package struct BatchShard: Sendable, Equatable {
    /// From 0.
    package var index: Int
    package var count: Int

    package init?(index: Int, count: Int) {
        guard count > 0, (0..<count).contains(index) else { return nil }
        (self.index, self.count) = (index, count)
    }

    /// Depends only on the absolute path, so that all machines that see the files under the same paths agree, whichever
    /// folders or files are named.
    package func contains(_ path: String) -> Bool {
        var hash = FNV.hash(path.utf8)
        // The low bits depend mostly on the end of the path.
        hash ^= hash >> 32
        return Int(hash % UInt64(count)) == index
    }

    /// Returns the shard's inputs, with result paths that no other shard uses. Shards cannot number equal result paths,
    /// because they do not know each other's journals, so a digest of the input's path distinguishes them.
    package func select(from inputs: [BatchInput]) -> [BatchInput] {
        let uses = Dictionary(inputs.map { (PathBytes($0.resultPath), 1) }, uniquingKeysWith: +)
        return inputs.filter { contains($0.path) }.map { input in
            guard uses[PathBytes(input.resultPath), default: 0] > 1 else { return input }
            var input = input
            input.resultPath = Self.uniqueResultPath(for: input)
            return input
        }
    }

    /// `a.mp4-0123456789abcdef.vidscan`. Inputs with equal digests belong to one shard, whose journal resolves the
    /// conflict.
    static func uniqueResultPath(for input: BatchInput) -> String {
        let digest = NumberText.hexadecimal(FNV.hash(input.path.utf8), digits: 16)
        return "\(input.resultPath.dropLast(".vidscan".count))-\(digest).vidscan"
    }

    /// Distinguishes the files of shards, so that no two machines write to the same file; empty without shards.
    static func suffix(_ shard: BatchShard?) -> String { shard.map { "-\($0.index)-of-\($0.count)" } ?? "" }
}
