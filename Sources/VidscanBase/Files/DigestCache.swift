internal import CLinux
internal import Glibc
internal import Synchronization

/// Digests of large files that rarely change, kept in a private folder, because computing one takes longer than anything
/// else that a short run does with the file.
///
/// A digest holds as long as the file's path, device, inode, size, and times of modification and change are those with
/// which it was computed, as in Git's index. Nobody can set the time of change, which the kernel sets with every write. A
/// file that was changed while it was read, or so shortly before that another change might get the same time, is read
/// again the next time.
///
/// The cache only makes runs shorter. If it is missing, damaged or cannot be written, the digests are computed. Any number
/// of processes may use one folder at the same time; of what two of them write, the later one stays, complete.
package final class DigestCache: Sendable {
    /// The name of the file in the folder.
    package static let fileName = "digests"

    private let folder: PrivateFolder
    /// Nanoseconds since 1970.
    private let now: @Sendable () -> Int64
    private let known: Mutex<Known>

    private struct Known {
        /// The digests by path, the latest ones first.
        var entries: [Entry]
        var isChanged = false
    }

    /// - Parameters:
    ///   - folder: The folder that holds the file.
    ///   - now: The current time, in nanoseconds since 1970.
    package init(_ folder: PrivateFolder, now: @escaping @Sendable () -> Int64 = DigestCache.currentTime) {
        self.folder = folder
        self.now = now
        known = Mutex(Known(entries: Self.read(folder)))
    }

    /// Returns the digest of a file: the known one, or a new one.
    ///
    /// - Parameters:
    ///   - path: The path from the root.
    ///   - compute: Computes the digest in lower-case hexadecimal digits.
    /// - Throws: The error of `compute`.
    package func digest<Failure: Error>(
        of path: String, _ compute: () throws(Failure) -> String
    ) throws(Failure) -> String {
        let state = FileState(path: path)
        if let state, let entry = known.withLock({ $0.entries.first { $0.path == path && $0.state == state } }) {
            return entry.digest
        }
        let begin = now()
        let digest = try compute()
        // A path with a line break would look like two lines.
        guard let state, state.isOlder(than: begin - Self.settlingNanoseconds), state == FileState(path: path),
            let entry = Entry(digest: digest, state: state, path: path)
        else { return digest }
        known.withLock {
            $0.entries.removeAll { $0.path == path }
            $0.entries.insert(entry, at: 0)
            $0.isChanged = true
        }
        return digest
    }

    /// Writes new digests to the folder.
    package func save() {
        let text: String? = known.withLock {
            guard $0.isChanged else { return nil }
            $0.isChanged = false
            return Self.text(of: $0.entries.prefix(Self.maximumCount))
        }
        // Where the size of files is limited, the system may end a process that writes.
        guard let text, vs_file_size_is_limited() == 0 else { return }
        _ = Array(text.utf8).withUnsafeBytes { folder.write([$0], to: Self.fileName) }
    }

    package static func currentTime() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return FileState.nanoseconds(time)
    }

    /// The minimum age of a file's last change. Some file systems have times of two seconds.
    private static let settlingNanoseconds: Int64 = 3_000_000_000
    /// The maximum number of digests: those of the models of several installations.
    private static let maximumCount = 64

    // MARK: The file

    private static let header = "vidscan digests 1\n"

    /// One line for each digest, between a header and the checksum of everything before it.
    private static func text(of entries: some Sequence<Entry>) -> String {
        let text = header + entries.map { $0.line + "\n" }.joined()
        return text + checksum(of: text)
    }

    private static func checksum(of text: String) -> String { "checksum \(XXHash64.checksum(text))\n" }

    /// Returns the digests in the folder; none if the file is damaged.
    private static func read(_ folder: PrivateFolder) -> [Entry] {
        guard let file = folder.read(fileName, limit: 1 << 20) else { return [] }
        let text = String(decoding: file.bytes, as: UTF8.self)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        // The text ends with a line break.
        guard lines.count >= 3, let checksum = lines.dropLast().last else { return [] }
        let content = text[..<checksum.startIndex]
        guard content.hasPrefix(header), text[checksum.startIndex...] == Self.checksum(of: String(content)) else {
            return []
        }
        return lines[1..<(lines.count - 2)].compactMap { Entry(line: $0) }
    }
}

/// What tells one state of a file from another.
private struct FileState: Equatable {
    /// Device, inode, size in bytes, and the times of modification and of change in nanoseconds since 1970.
    let numbers: [Int64]

    /// - Returns: `nil` if the file cannot be examined.
    init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        numbers = [
            Int64(truncatingIfNeeded: status.st_dev), Int64(truncatingIfNeeded: status.st_ino), Int64(status.st_size),
            Self.nanoseconds(status.st_mtim), Self.nanoseconds(status.st_ctim),
        ]
    }

    init(numbers: [Int64]) {
        self.numbers = numbers
    }

    static let numberCount = 5

    /// Whether the last change was before a time, in nanoseconds since 1970.
    func isOlder(than time: Int64) -> Bool { numbers[3] < time && numbers[4] < time }

    static func nanoseconds(_ time: timespec) -> Int64 { Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec) }
}

/// The digest of a file in one of its states.
private struct Entry {
    let digest: String
    let state: FileState
    let path: String

    /// - Returns: `nil` if the digest or the path cannot be written in a line.
    init?(digest: String, state: FileState, path: String) {
        guard !digest.isEmpty, digest.utf8.allSatisfy(Self.isHexadecimal), !path.utf8.contains(UInt8(ascii: "\n"))
        else { return nil }
        self.digest = digest
        self.state = state
        self.path = path
    }

    init?(line: Substring) {
        let fields = line.split(
            separator: " ", maxSplits: FileState.numberCount + 1, omittingEmptySubsequences: false)
        guard fields.count == FileState.numberCount + 2, let digest = fields.first, let path = fields.last else {
            return nil
        }
        let numbers = fields.dropFirst().dropLast().compactMap { Int64($0) }
        guard numbers.count == FileState.numberCount else { return nil }
        self.init(digest: String(digest), state: FileState(numbers: numbers), path: String(path))
    }

    var line: String { ([digest] + state.numbers.map { "\($0)" } + [path]).joined(separator: " ") }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
}
