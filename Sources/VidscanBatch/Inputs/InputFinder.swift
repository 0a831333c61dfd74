internal import Foundation
internal import VidscanBase
internal import VidscanResults

/// Finds the files of a batch. In a folder, every file counts unless its extension rules out a video, because only
/// opening it shows its type. Ignores hidden files, results, and a batch's files beside its journal. Follows links to
/// files, but not to folders, so that there are no cycles.
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
        func add(_ path: String, name: String, isNamed: Bool) -> Bool {
            guard let state = FileState(path: path) else { return false }
            findings.inputs.append(
                BatchInput(path: path, resultPath: "\(name).vidscan", state: state, isNamed: isNamed))
            return true
        }
        let roots = inputs.map { FilePath.absolute($0) }
        let hasManyFolders = Set(roots.filter { FileSystem.entry($0) == .folder }.map(PathBytes.init)).count > 1
        for (input, root) in zip(inputs, roots) {
            let name = FilePath.name(of: root)
            if FileSystem.entry(root) == .folder {
                // With several folders, the path of a result starts with the folder's name.
                let prefix = hasManyFolders && name != "/" ? name + "/" : ""
                for relativePath in walk(root, &findings) {
                    let path = FilePath.joining(root, relativePath)
                    guard seen.insert(PathBytes(path)).inserted else { continue }
                    _ = add(path, name: prefix + relativePath, isNamed: false)
                }
            } else if seen.insert(PathBytes(root)).inserted, !add(root, name: name, isNamed: true) {
                let problem =
                    FilePath.refusal(ofURL: input).map { Problem(path: input, reason: $0) }
                    ?? Problem(path: root, reason: "cannot open: \(SystemError.current)")
                findings.problems.append(problem)
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
                guard let entry = FileSystem.entry(path, followsLinks: false) else { continue }
                if entry == .folder {
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
        if exclude.contains(where: { Self.matches(path, $0) }) { return false }
        if !include.isEmpty { return include.contains { Self.matches(path, $0) } }
        return !Self.ignoredExtensions.contains(FilePath.fileExtension(of: path))
    }

    /// The journal, its page and what the page loads, or a merged table. Other files beside a journal may be videos,
    /// because results may lie among the inputs.
    private static func isBatchFile(_ name: String) -> Bool {
        let own = /(batch|index|status|summary)(-\d+-of-\d+)?\.(sqlite(-wal|-shm|-journal)?|html|csv|json|js)/
        let tables = /faces\.csv|people(_[a-z]+)?\.(csv|html|json)/
        return name.wholeMatch(of: own) != nil || name.wholeMatch(of: tables) != nil
    }

    private static func matches(_ path: String, _ pattern: String) -> Bool {
        fnmatch(pattern, path, 0) == 0 || fnmatch(pattern, FilePath.name(of: path), 0) == 0
    }
}
