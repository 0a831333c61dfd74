internal import Foundation

/// Finds the files of a batch: those that are named, and those in folders that are.
///
/// A folder's files are taken whatever their names say, except those that can be no videos by their names alone; what a
/// file is shows when it is opened. Hidden files, and results, are passed over. Symbolic links to files are followed, to
/// folders not, so that no circle is walked.
public struct InputFinder: Sendable {
    /// Globs that a file's path below its folder, or its name, must match one of; empty takes all.
    public var include: [String]
    /// Globs that leave a file out.
    public var exclude: [String]

    /// Extensions of what lies beside videos and is none: opening each would only cost time.
    private static let others: Set<String> = [
        "csv", "json", "jsonl", "txt", "md", "html", "htm", "xml", "yaml", "yml", "log", "pdf", "doc", "docx", "xls",
        "xlsx", "srt", "vtt", "ass", "zip", "gz", "tar", "py", "r", "ipynb", "npy", "sqlite", "db",
    ]

    public init(include: [String] = [], exclude: [String] = []) {
        self.include = include
        self.exclude = exclude
    }

    /// - Parameter inputs: paths of files and folders.
    /// - Returns: each file once, in the order of the inputs and then of the paths.
    /// - Throws: `BatchError` when an input is not there.
    public func find(_ inputs: [String]) throws(BatchError) -> [BatchInput] {
        let current = FileManager.default.currentDirectoryPath
        var found: [BatchInput] = []
        var seen: Set<String> = []
        let roots = inputs.map { Self.absolute($0, in: current) }
        let folders = roots.filter(Self.isFolder)
        let prefixes = Self.prefixes(of: folders)
        for root in roots {
            if Self.isFolder(root) {
                for (path, below) in try walk(root) where seen.insert(path).inserted {
                    guard let identity = FileIdentity(path: path) else { continue }
                    let place = [prefixes[root] ?? "", below].filter { !$0.isEmpty }.joined(separator: "/")
                    found.append(BatchInput(path: path, place: place + ".vidscan", identity: identity, isNamed: false))
                }
            } else {
                guard let identity = FileIdentity(path: root) else {
                    throw BatchError(.input, "\(root): \(String(cString: strerror(errno)))")
                }
                guard seen.insert(root).inserted else { continue }
                found.append(
                    BatchInput(
                        path: root, place: (root as NSString).lastPathComponent + ".vidscan", identity: identity,
                        isNamed: true))
            }
        }
        return Self.apart(found)
    }

    /// Results of several folders lie below the folders' names, of one folder directly in the batch's.
    private static func prefixes(of folders: [String]) -> [String: String] {
        guard Set(folders).count > 1 else { return [:] }
        var prefixes: [String: String] = [:]
        var taken: Set<String> = []
        for folder in folders where prefixes[folder] == nil {
            let name = (folder as NSString).lastPathComponent
            var candidate = name
            var number = 2
            while !taken.insert(candidate).inserted {
                candidate = "\(name)-\(number)"
                number += 1
            }
            prefixes[folder] = candidate
        }
        return prefixes
    }

    /// No two inputs share a place: the second one of a name gets a number.
    private static func apart(_ inputs: [BatchInput]) -> [BatchInput] {
        var taken: Set<String> = []
        return inputs.map { input in
            var input = input
            let stem = String(input.place.dropLast(".vidscan".count))
            var number = 2
            while !taken.insert(input.place).inserted {
                input.place = "\(stem)-\(number).vidscan"
                number += 1
            }
            return input
        }
    }

    private func walk(_ root: String) throws(BatchError) -> [(path: String, below: String)] {
        var files: [(path: String, below: String)] = []
        var pending = [""]
        while let below = pending.popLast() {
            let folder = below.isEmpty ? root : "\(root)/\(below)"
            let names: [String]
            do {
                names = try FileManager.default.contentsOfDirectory(atPath: folder)
            } catch {
                throw BatchError(.input, "\(folder): cannot be read")
            }
            for name in names where !name.hasPrefix(".") {
                let relative = below.isEmpty ? name : "\(below)/\(name)"
                let path = "\(root)/\(relative)"
                var link = stat()
                guard lstat(path, &link) == 0 else { continue }
                if link.st_mode & S_IFMT == S_IFDIR {
                    if !name.hasSuffix(".vidscan") { pending.append(relative) }
                } else if isWanted(relative), Self.isFile(path) {
                    files.append((path, relative))
                }
            }
        }
        return files.sorted { $0.below < $1.below }
    }

    private func isWanted(_ below: String) -> Bool {
        if exclude.contains(where: { Self.matches(below, $0) }) { return false }
        if !include.isEmpty { return include.contains { Self.matches(below, $0) } }
        return !Self.others.contains((below as NSString).pathExtension.lowercased())
    }

    private static func matches(_ below: String, _ pattern: String) -> Bool {
        fnmatch(pattern, below, 0) == 0 || fnmatch(pattern, (below as NSString).lastPathComponent, 0) == 0
    }

    private static func absolute(_ path: String, in current: String) -> String {
        let whole = (path as NSString).isAbsolutePath ? path : "\(current)/\(path)"
        return (whole as NSString).standardizingPath
    }

    private static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    private static func isFile(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }
}

extension FileIdentity {
    /// - Returns: `nil` when there is no such file; `errno` says why.
    public init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(
            bytes: Int64(status.st_size),
            modified: Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec))
    }
}

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

    /// Whether a path belongs to it: by the path alone, so that every machine comes to the same answer.
    public func holds(_ place: String) -> Bool {
        // FNV-1a, 64 bit (Fowler, Noll and Vo).
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in place.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        // Its low bits are the last bytes' more than the others'.
        hash ^= hash >> 32
        return Int(hash % UInt64(count)) == index
    }
}
