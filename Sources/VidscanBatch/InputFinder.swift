internal import Foundation

/// Finds the files of a batch: those that are named, and those in folders that are.
///
/// A folder's files are taken whatever their names say, except those that can be no videos by their names alone; what a
/// file is shows when it is opened. Hidden files, and results, are passed over. Symbolic links to files are followed,
/// to folders not, so that no circle is walked.
public struct InputFinder: Sendable {
    /// Globs that a file's path below its folder, or its name, must match one of; empty takes all.
    public var include: [String]
    /// Globs that leave a file out.
    public var exclude: [String]

    /// What was found, and what could not be looked at.
    public struct Findings: Sendable, Equatable {
        /// Each file once, in the order of the inputs and then of the paths.
        public var inputs: [BatchInput] = []
        /// Inputs that are not there, folders that cannot be read, names that are no text; each with the reason.
        public var problems: [Problem] = []
    }

    public struct Problem: Sendable, Equatable {
        public var path: String
        public var reason: String
    }

    /// Extensions of what lies beside videos and is none: opening each would only cost time.
    private static let others: Set<String> = [
        "csv", "json", "jsonl", "txt", "md", "html", "htm", "xml", "yaml", "yml", "log", "pdf", "doc", "docx", "xls",
        "xlsx", "srt", "vtt", "ass", "zip", "gz", "tar", "py", "r", "ipynb", "npy", "sqlite", "sqlite-wal",
        "sqlite-shm",
        "sqlite-journal", "db", "prom", "sh", "spool",
    ]

    public init(include: [String] = [], exclude: [String] = []) {
        self.include = include
        self.exclude = exclude
    }

    /// - Parameter inputs: paths of files and folders.
    public func find(_ inputs: [String]) -> Findings {
        let current = FileManager.default.currentDirectoryPath
        var findings = Findings()
        var seen: Set<String> = []
        let roots = inputs.map { Self.absolute($0, in: current) }
        let hasManyFolders = Set(roots.filter { Self.kind(of: $0) == S_IFDIR }).count > 1
        for root in roots {
            let name = PathText.name(root)
            guard Self.kind(of: root) != S_IFDIR else {
                // Results of several folders lie below the folders' names, of one folder directly in the batch's.
                let prefix = hasManyFolders && name != "/" ? name + "/" : ""
                for below in walk(root, &findings.problems) {
                    let path = root == "/" ? "/\(below)" : "\(root)/\(below)"
                    guard seen.insert(path).inserted, let state = FileState(path: path) else { continue }
                    findings.inputs.append(
                        BatchInput(
                            path: path, place: "\(prefix)\(below).vidscan", identity: state.identity,
                            changed: state.changed, isNamed: false))
                }
                continue
            }
            guard seen.insert(root).inserted else { continue }
            guard let state = FileState(path: root) else {
                findings.problems.append(
                    Problem(path: root, reason: "cannot open: \(String(cString: strerror(errno)))"))
                continue
            }
            findings.inputs.append(
                BatchInput(
                    path: root, place: "\(name).vidscan", identity: state.identity, changed: state.changed,
                    isNamed: true))
        }
        return findings
    }

    /// - Returns: paths below `root`, sorted.
    private func walk(_ root: String, _ problems: inout [Problem]) -> [String] {
        var files: [String] = []
        var pending = [""]
        while let below = pending.popLast() {
            let folder = below.isEmpty ? root : "\(root)/\(below)"
            guard let stream = opendir(folder) else {
                problems.append(Problem(path: folder, reason: "cannot read: \(String(cString: strerror(errno)))"))
                continue
            }
            defer { closedir(stream) }
            while let entry = readdir(stream) {
                let bytes = Self.nameBytes(of: entry)
                guard bytes.first != UInt8(ascii: ".") else { continue }
                guard let name = String(validating: bytes, as: UTF8.self) else {
                    let shown = String(decoding: bytes, as: UTF8.self)
                    problems.append(Problem(path: "\(folder)/\(shown)", reason: "its name is no UTF-8 text; rename it"))
                    continue
                }
                let relative = below.isEmpty ? name : "\(below)/\(name)"
                let path = "\(folder)/\(name)"
                var link = stat()
                guard lstat(path, &link) == 0 else { continue }
                if link.st_mode & S_IFMT == S_IFDIR {
                    if !name.hasSuffix(".vidscan") { pending.append(relative) }
                } else if isWanted(relative), Self.kind(of: path) == S_IFREG {
                    files.append(relative)
                }
            }
        }
        return files.sorted()
    }

    private static func nameBytes(of entry: UnsafeMutablePointer<dirent>) -> [UInt8] {
        // Terminated by zero within its fixed size.
        withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
    }

    private func isWanted(_ below: String) -> Bool {
        if exclude.contains(where: { Self.matches(below, $0) }) { return false }
        if !include.isEmpty { return include.contains { Self.matches(below, $0) } }
        return !Self.others.contains(PathText.ending(below))
    }

    private static func matches(_ below: String, _ pattern: String) -> Bool {
        fnmatch(pattern, below, 0) == 0 || fnmatch(pattern, PathText.name(below), 0) == 0
    }

    private static func absolute(_ path: String, in current: String) -> String {
        PathText.absolute(path, in: current)
    }

    private static func kind(of path: String) -> mode_t? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
    }
}
