internal import Foundation
internal import VidscanBase
internal import VidscanResults

/// Finds the files of a batch: those that the user names, and those in the folders that the user names.
///
/// In a folder, all files count except those whose extensions rule out a video; what a file is shows when it is opened.
/// Hidden files, results, and the files of a batch beside its journal are ignored. Symbolic links to files are followed. Links to folders are not, so that there are
/// no cycles.
public struct InputFinder: Sendable {
    /// Globs. A file is included if its path below its folder, or its name, matches one of them, or if there are none.
    public var include: [String]
    /// Globs. A file that matches one of them is excluded.
    public var exclude: [String]

    public struct Findings: Sendable, Equatable {
        /// Each file once, in the order of the inputs and then of their paths.
        public var inputs: [BatchInput] = []
        /// Missing inputs, unreadable folders, and videos and folders with names that are not UTF-8.
        public var problems: [Problem] = []
        /// What was found and left out: links that lead nowhere or to folders, and other files with names that are not UTF-8.
        public var skipped: [Problem] = []
    }

    public struct Problem: Sendable, Equatable {
        public var path: String
        public var reason: String
    }

    /// Extensions of files that are often next to videos. Opening each of them would only take time.
    private static let ignoredExtensions: Set<String> = [
        "csv", "json", "jsonl", "txt", "md", "html", "htm", "xml", "yaml", "yml", "log", "pdf", "doc", "docx", "xls",
        "xlsx", "srt", "vtt", "ass", "zip", "gz", "tar", "py", "r", "ipynb", "npy", "sqlite", "sqlite-wal",
        "sqlite-shm", "sqlite-journal", "db", "prom", "sh", "spool",
    ]

    public init(include: [String] = [], exclude: [String] = []) {
        self.include = include
        self.exclude = exclude
    }

    /// - Parameter inputs: paths of files and folders.
    public func find(_ inputs: [String]) -> Findings {
        var findings = Findings()
        var seen: Set<PathBytes> = []
        let roots = inputs.map { FilePath.absolute($0) }
        let hasManyFolders = Set(roots.filter { Self.fileType(of: $0) == S_IFDIR }.map(PathBytes.init)).count > 1
        for (input, root) in zip(inputs, roots) {
            let name = FilePath.name(of: root)
            guard Self.fileType(of: root) != S_IFDIR else {
                // With several folders, the path of a result starts with the folder's name.
                let prefix = hasManyFolders && name != "/" ? name + "/" : ""
                for relativePath in walk(root, &findings) {
                    let path = root == "/" ? "/\(relativePath)" : "\(root)/\(relativePath)"
                    guard seen.insert(PathBytes(path)).inserted, let state = FileState(path: path) else { continue }
                    findings.inputs.append(
                        BatchInput(
                            path: path, resultPath: "\(prefix)\(relativePath).vidscan", identity: state.identity,
                            changed: state.changed, isNamed: false))
                }
                continue
            }
            guard seen.insert(PathBytes(root)).inserted else { continue }
            guard let state = FileState(path: root) else {
                let problem =
                    FilePath.refusal(ofURL: input).map { Problem(path: input, reason: $0) }
                    ?? Problem(path: root, reason: "cannot open: \(SystemError.current)")
                findings.problems.append(problem)
                continue
            }
            findings.inputs.append(
                BatchInput(
                    path: root, resultPath: "\(name).vidscan", identity: state.identity, changed: state.changed,
                    isNamed: true))
        }
        return findings
    }

    /// - Returns: paths below `root`, sorted.
    private func walk(_ root: String, _ findings: inout Findings) -> [String] {
        var files: [String] = []
        var pending = [""]
        while let subfolder = pending.popLast() {
            let folder = subfolder.isEmpty ? root : "\(root)/\(subfolder)"
            let names: [[UInt8]]
            do throws(SystemError) {
                names = try FileSystem.names(in: folder)
            } catch {
                findings.problems.append(Problem(path: folder, reason: "cannot read: \(error)"))
                continue
            }
            let holdsBatch = names.contains { $0.starts(with: "batch".utf8) } && BatchJournal.exists(in: folder)
            for bytes in names {
                guard bytes.first != UInt8(ascii: ".") else { continue }
                guard let name = String(validating: bytes, as: UTF8.self) else {
                    addUnreadable(bytes, in: folder, subfolder, &findings)
                    continue
                }
                if holdsBatch, Self.isBatchFile(name) { continue }
                let relativePath = subfolder.isEmpty ? name : "\(subfolder)/\(name)"
                let path = "\(folder)/\(name)"
                var link = stat()
                guard lstat(path, &link) == 0 else { continue }
                if link.st_mode & S_IFMT == S_IFDIR {
                    if !ResultPaths.isResult(name) {
                        pending.append(relativePath)
                    } else if lstat(path + "/run.json", &link) != 0 {
                        findings.skipped.append(
                            Problem(path: path, reason: "a folder with the name of a result, but without run.json"))
                    }
                    continue
                }
                guard isSelected(relativePath) else { continue }
                switch Self.fileType(of: path) {
                case S_IFREG: files.append(relativePath)
                case S_IFDIR: findings.skipped.append(Problem(path: path, reason: "a link to a folder"))
                case nil where link.st_mode & S_IFMT == S_IFLNK:
                    findings.skipped.append(Problem(path: path, reason: "a link to a file that does not exist"))
                default: break
                }
            }
        }
        return files.sorted { PathBytes($0) < PathBytes($1) }
    }

    /// Reports a name that is not valid UTF-8: as a problem if it may be, or contain, a video.
    private func addUnreadable(
        _ bytes: [UInt8], in folder: String, _ subfolder: String, _ findings: inout Findings
    ) {
        let shown = String(decoding: bytes, as: UTF8.self)
        let path = Array("\(folder)/".utf8) + bytes + [0]
        var status = stat()
        let isFolder = path.withUnsafeBytes { buffer in
            lstat(buffer.bindMemory(to: CChar.self).baseAddress.unsafelyUnwrapped, &status) == 0  // It has elements.
                && status.st_mode & S_IFMT == S_IFDIR
        }
        let problem = Problem(path: "\(folder)/\(shown)", reason: "its name is not valid UTF-8; rename it")
        if isFolder {
            if !ResultPaths.isResult(shown) { findings.problems.append(problem) }
        } else if isSelected(subfolder.isEmpty ? shown : "\(subfolder)/\(shown)") {
            if Self.hasVideoExtension(shown) {
                findings.problems.append(problem)
            } else {
                findings.skipped.append(problem)
            }
        }
    }

    /// Whether the extension says that a file is a video or picture.
    static func hasVideoExtension(_ path: String) -> Bool {
        videoExtensions.contains(FilePath.fileExtension(of: path))
    }

    private static let videoExtensions: Set<String> = [
        "mp4", "m4v", "mov", "mkv", "webm", "avi", "mpg", "mpeg", "ts", "m2ts", "mts", "wmv", "flv", "3gp", "ogv",
        "mxf", "vob", "h264", "hevc", "gif", "png", "jpg", "jpeg", "webp", "bmp", "tif", "tiff",
    ]

    private func isSelected(_ path: String) -> Bool {
        if exclude.contains(where: { Self.matches(path, $0) }) { return false }
        if !include.isEmpty { return include.contains { Self.matches(path, $0) } }
        return !Self.ignoredExtensions.contains(FilePath.fileExtension(of: path))
    }

    /// Whether a file beside a journal is one of the batch: the journal, its page and what the page loads, or a table of all
    /// results. Other files there may be videos, because the results may lie among the inputs.
    private static func isBatchFile(_ name: String) -> Bool {
        let own = /(batch|index|status|summary)(-\d+-of-\d+)?\.(sqlite(-wal|-shm|-journal)?|html|csv|json|js)/
        let tables = /faces\.csv|people(_[a-z]+)?\.(csv|html|json)/
        return name.wholeMatch(of: own) != nil || name.wholeMatch(of: tables) != nil
    }

    private static func matches(_ path: String, _ pattern: String) -> Bool {
        fnmatch(pattern, path, 0) == 0 || fnmatch(pattern, FilePath.name(of: path), 0) == 0
    }

    private static func fileType(of path: String) -> mode_t? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
    }
}
