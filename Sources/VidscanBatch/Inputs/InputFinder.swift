internal import Foundation
internal import VidscanBase
internal import VidscanResults

/// Finds the files of a batch. In a folder, every file counts unless its extension rules out a video, because only
/// opening it shows its type. Ignores hidden files, results, and a batch's files beside its journal. Follows links to
/// files but not to folders, which could form cycles.
package struct InputFinder: Sendable {
    /// Globs. A file must match one with its name or its path below its folder, unless there are none.
    package var include: [String]
    /// Globs. Matching files are excluded.
    package var exclude: [String]

    package struct Findings: Sendable, Equatable {
        /// Each file once, in the order of the inputs, then by path.
        package var inputs: [BatchInput] = []
        /// Missing inputs, unreadable folders, and names of videos and folders that are not UTF-8.
        package var problems: [Problem] = []
        /// Links that lead nowhere or to folders, and names of other files that are not UTF-8.
        package var skipped: [Problem] = []
    }

    package struct Problem: Sendable, Equatable { package var path, reason: String }

    /// Files that are often next to videos; opening each would only take time.
    private static let ignoredExtensions: Set<String> = [
        "csv", "json", "jsonl", "txt", "md", "html", "htm", "xml", "yaml", "yml", "log", "pdf", "doc", "docx", "xls",
        "xlsx", "srt", "vtt", "ass", "zip", "gz", "tar", "py", "r", "ipynb", "npy", "sqlite", "sqlite-wal",
        "sqlite-shm", "sqlite-journal", "db", "prom", "sh", "spool",
    ]

    package init(include: [String] = [], exclude: [String] = []) { (self.include, self.exclude) = (include, exclude) }

    package func find(_ inputs: [String]) -> Findings {
        var findings = Findings()
        var seen: Set<PathBytes> = []
        func add(_ path: String, name: String, isNamed: Bool) {
            guard seen.insert(PathBytes(path)).inserted else { return }
            if let state = FileState(path: path) {
                findings.inputs.append(
                    BatchInput(path: path, resultPath: "\(name).vidscan", state: state, isNamed: isNamed))
            } else if isNamed || errno != ENOENT {
                findings.problems.append(Problem(path: path, reason: "cannot open: \(SystemError.current)"))
            }
        }
        let roots = inputs.map { FilePath.absolute($0) }
        let hasManyFolders = Set(roots.filter { FileSystem.entry($0) == .folder }.map(PathBytes.init)).count > 1
        for (input, root) in zip(inputs, roots) {
            let (name, entry) = (FilePath.name(of: root), FileSystem.entry(root))
            if entry == .folder {
                // With several folders, the path of a result starts with the folder's name.
                let prefix = hasManyFolders && name != "/" ? name + "/" : ""
                for relativePath in walk(root, &findings) {
                    add(FilePath.joining(root, relativePath), name: prefix + relativePath, isNamed: false)
                }
            } else if entry == nil, let refusal = FilePath.refusal(of: input) {
                findings.problems.append(Problem(path: input, reason: refusal))
            } else {
                add(root, name: name, isNamed: true)
            }
        }
        return findings
    }

    private func walk(_ root: String, _ findings: inout Findings) -> [String] {
        var files: [String] = []
        var pending = [""]
        while let subfolder = pending.popLast() {
            let folder = subfolder.isEmpty ? root : "\(root)/\(subfolder)"
            let names: [[UInt8]]
            do throws(SystemError) { names = try FileSystem.names(in: folder) } catch {
                findings.problems.append(Problem(path: folder, reason: "cannot read: \(error)"))
                continue
            }
            var problem: SystemError?
            let holdsBatch = names.contains { $0.starts(with: "batch".utf8) } && BatchJournal.exists(in: folder)
            for bytes in names where bytes.first != UInt8(ascii: ".") {
                guard let name = String(validating: bytes, as: UTF8.self) else {
                    addUnreadable(bytes, in: folder, subfolder, &findings)
                    continue
                }
                if holdsBatch, Self.isBatchFile(name) { continue }
                let relativePath = subfolder.isEmpty ? name : "\(subfolder)/\(name)"
                let path = "\(folder)/\(name)"
                guard let entry = FileSystem.entry(path, followsLinks: false) else {
                    if errno != ENOENT { problem = .current }
                    continue
                }
                if entry == .folder {
                    if Self.matches(relativePath, exclude) || Self.matches(relativePath + "/", exclude) { continue }
                    if !ResultPaths.isResult(name) {
                        pending.append(relativePath)
                    } else if FileSystem.entry(path + "/run.json", followsLinks: false) == nil {
                        findings.skipped.append(
                            Problem(path: path, reason: "a folder with the name of a result, but without run.json"))
                    }
                    continue
                }
                guard isSelected(relativePath) else { continue }
                switch FileSystem.entry(path) {
                case .file: files.append(relativePath)
                case .folder: findings.skipped.append(Problem(path: path, reason: "a link to a folder"))
                case nil where entry == .link:
                    findings.skipped.append(Problem(path: path, reason: "a link to a file that does not exist"))
                default: break
                }
            }
            if let problem { findings.problems.append(Problem(path: folder, reason: "cannot read: \(problem)")) }
        }
        return files.sorted { PathBytes($0) < PathBytes($1) }
    }

    /// Reports a name that is not UTF-8, as a problem if it may be or contain a video.
    private func addUnreadable(_ bytes: [UInt8], in folder: String, _ subfolder: String, _ findings: inout Findings) {
        let shown = String(decoding: bytes, as: UTF8.self)
        let path = (Array("\(folder)/".utf8) + bytes + [0]).map(CChar.init(bitPattern:))
        var status = stat()
        let isFolder = lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
        let relativePath = subfolder.isEmpty ? shown : "\(subfolder)/\(shown)"
        guard isFolder ? !ResultPaths.isResult(shown) : isSelected(relativePath) else { return }
        let problem = Problem(path: "\(folder)/\(shown)", reason: "its name is not valid UTF-8; rename it")
        let list = isFolder || Self.hasVideoExtension(shown) ? \Findings.problems : \Findings.skipped
        findings[keyPath: list].append(problem)
    }

    static func hasVideoExtension(_ path: String) -> Bool { videoExtensions.contains(FilePath.fileExtension(of: path)) }

    private static let videoExtensions: Set<String> = [
        "mp4", "m4v", "mov", "mkv", "webm", "avi", "mpg", "mpeg", "ts", "m2ts", "mts", "wmv", "flv", "3gp", "ogv",
        "mxf", "vob", "h264", "hevc", "gif", "png", "jpg", "jpeg", "webp", "bmp", "tif", "tiff",
    ]

    private func isSelected(_ path: String) -> Bool {
        if Self.matches(path, exclude) { return false }
        if !include.isEmpty { return Self.matches(path, include) }
        return !Self.ignoredExtensions.contains(FilePath.fileExtension(of: path))
    }

    /// The journal, its page and what the page loads, or a merged table. Other files beside a journal may be videos,
    /// because results may lie among the inputs.
    private static func isBatchFile(_ name: String) -> Bool {
        let own = /(batch|index|status|summary)(-\d+-of-\d+)?\.(sqlite(-wal|-shm|-journal)?|html|csv|json|js)/
        let tables = /faces\.csv|people(_[a-z]+)?\.(csv|html|json)/
        return name.wholeMatch(of: own) != nil || name.wholeMatch(of: tables) != nil
    }

    private static func matches(_ path: String, _ patterns: [String]) -> Bool {
        patterns.contains { fnmatch($0, path, 0) == 0 || fnmatch($0, FilePath.name(of: path), 0) == 0 }
    }
}

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

    /// Depends only on the absolute path, so that machines with the same paths agree, whichever folders are named.
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
        var own = inputs.filter { contains($0.path) }
        for index in own.indices where uses[PathBytes(own[index].resultPath), default: 0] > 1 {
            own[index].resultPath = Self.uniqueResultPath(for: own[index])
        }
        return own
    }

    /// `a.mp4-0123456789abcdef.vidscan`. Inputs with one digest belong to one shard, whose journal resolves conflicts.
    static func uniqueResultPath(for input: BatchInput) -> String {
        let digest = NumberText.hexadecimal(FNV.hash(input.path.utf8), digits: 16)
        return "\(input.resultPath.dropLast(".vidscan".count))-\(digest).vidscan"
    }

    /// Distinguishes the files of shards, so that no two machines write to the same file; empty without shards.
    static func suffix(_ shard: BatchShard?) -> String { shard.map { "-\($0.index)-of-\($0.count)" } ?? "" }
}
