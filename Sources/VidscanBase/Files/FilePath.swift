internal import Glibc

/// Takes paths apart and makes them absolute.
///
/// Paths are `String`s, as in settings, tables and the journal. swift-system's `FilePath` knows neither `~` nor the
/// current folder. Foundation's functions crash on a name of one letter and cut off a leading `/private`.
package enum FilePath {
    /// Returns `c.mp4` for `/a/b/c.mp4` and for `/a/b/c.mp4/`.
    package static func name(of path: String) -> String { names(path).last.map(String.init) ?? path }

    /// Works on bytes: as text, a slash and an accent at the beginning of the next name are one character.
    package static func names(_ path: String) -> [Substring] {
        path.utf8.split(separator: UInt8(ascii: "/")).map(Substring.init)
    }

    /// Returns `/a/b` for `/a/b/c.mp4`, and `.` for a path without a folder.
    package static func folder(of path: String) -> String {
        let (parts, root) = (names(path), isAbsolute(path) ? "/" : "")
        return parts.count > 1 ? root + parts.dropLast().joined(separator: "/") : root.isEmpty ? "." : root
    }

    package static func sibling(of path: String, named name: String) -> String {
        path.utf8.contains(UInt8(ascii: "/")) ? joining(folder(of: path), name) : name
    }

    /// Returns `mp4` for `c.MP4`, and an empty string if there is no extension.
    package static func fileExtension(of path: String) -> String {
        let name = name(of: path)
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "" }
        return name[name.index(after: dot)...].lowercased()
    }

    /// Returns why vidscan reads no URL and no numbered pictures; `nil` if a name is neither.
    package static func refusal(of input: String) -> String? {
        if input.prefixMatch(of: /[A-Za-z][A-Za-z0-9+.-]*:\/\//) != nil {
            return "is a URL; vidscan reads local files only: download the video first, and name the file"
        }
        guard input.contains(/%0?\d*d/) else { return nil }
        return
            "does not exist; vidscan reads no numbered pictures: make a video of them with ffmpeg, and name the video"
    }

    package static func joining(_ folder: String, _ name: String) -> String {
        folder.utf8.last == UInt8(ascii: "/") ? folder + name : "\(folder)/\(name)"
    }

    package static func isAbsolute(_ path: String) -> Bool { path.utf8.first == UInt8(ascii: "/") }

    /// Returns the path from the root, without `.`, `..` and repeated slashes. Follows links only where `..` goes up
    /// from one, as the kernel does. Replaces `/proc/self/fd/N` by the open folder's own path.
    package static func absolute(_ path: String, in folder: String = currentFolder) -> String {
        var parts: [Substring] = []
        var path = path
        if let open = path.prefixMatch(of: /\/proc\/self\/fd\/\d+/)?.output, let name = linkTarget(of: String(open)) {
            path = name + path[open.endIndex...]
        }
        for part in names(isAbsolute(path) ? path : joining(folder, path)) where part != "." {
            guard part == ".." else {
                parts.append(part)
                continue
            }
            parts = (linkTarget(of: "/" + parts.joined(separator: "/")).map(names) ?? parts).dropLast()
        }
        return "/" + parts.joined(separator: "/")
    }

    /// Expands a leading `~` or `~user`, which a shell does only at the beginning of an argument.
    package static func expandingHome(_ path: String) -> String {
        guard path.hasPrefix("~") else { return path }
        let user = names(path)[0].dropFirst()
        let home = user.isEmpty ? getenv("HOME") : getpwnam(String(user))?.pointee.pw_dir
        guard let home else { return path }
        return String(cString: home) + String(Substring(path.utf8.dropFirst(1 + user.utf8.count)))
    }

    package static func relative(_ path: String) -> String {
        let current = joining(currentFolder, "").utf8
        return current.count > 1 && path.utf8.starts(with: current)
            ? String(Substring(path.utf8.dropFirst(current.count))) : path
    }

    /// The names from an absolute folder to an absolute path: `..` for each step up, then those below.
    package static func names(from folder: String, to path: String) -> [String] {
        let (target, base) = (names(path), names(folder))
        let common = zip(target, base).prefix { $0.utf8.elementsEqual($1.utf8) }.count
        return Array(repeating: "..", count: base.count - common) + target[common...].map(String.init)
    }

    /// Returns a path as a word of a command that a shell runs in the current folder.
    package static func shellWord(_ path: String) -> String {
        let word = (relative(path).hasPrefix("-") ? "./" : "") + relative(path)
        if word.wholeMatch(of: /[\w.\/-]+/) != nil { return word }
        // By bytes: as text, a quotation mark and an accent are one character.
        let parts = word.utf8.split(separator: UInt8(ascii: "'"), omittingEmptySubsequences: false)
        return "'" + parts.map { String(Substring($0)) }.joined(separator: "'\\''") + "'"
    }

    package static var currentFolder: String {
        guard let path = getcwd(nil, 0) else { return "/" }
        defer { free(path) }
        return String(cString: path)
    }

    /// The absolute path without links; with them, if it does not exist.
    package static func resolved(_ path: String) -> String { target(of: path) ?? absolute(path) }

    private static func linkTarget(of path: String) -> String? {
        FileSystem.entry(path, followsLinks: false) == .link ? target(of: path) : nil
    }

    private static func target(of path: String) -> String? {
        guard let target = realpath(path, nil) else { return nil }
        defer { free(target) }
        return String(cString: target)
    }
}

/// A path or name that compares byte by byte, as in the kernel. Swift compares strings as text: the two spellings of
/// `é`, one character or a letter and an accent, are equal but name two files.
package struct PathBytes: Hashable, Comparable, Sendable {
    package let path: String

    package init(_ path: String) { self.path = path }

    package static func == (one: Self, other: Self) -> Bool { one.path.utf8.elementsEqual(other.path.utf8) }
    package static func < (one: Self, other: Self) -> Bool { one.path.utf8.lexicographicallyPrecedes(other.path.utf8) }

    package func hash(into hasher: inout Hasher) {
        var path = path
        path.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
