internal import Glibc

/// Takes paths apart and makes them absolute.
///
/// A path is a `String`, as it is in the settings, the tables and the journal; swift-system's `FilePath` would have to
/// be converted at each of these borders, and knows neither `~` nor the current folder. Foundation's functions crash on
/// a name of one letter and cut off a leading `/private`.
package enum FilePath {
    /// Returns `c.mp4` for `/a/b/c.mp4` and for `/a/b/c.mp4/`.
    package static func name(of path: String) -> String { names(path).last.map(String.init) ?? path }

    /// Splits a path at its slashes. As text, a slash and an accent at the beginning of the next name are one character.
    package static func names(_ path: String) -> [Substring] {
        path.utf8.split(separator: UInt8(ascii: "/")).map(Substring.init)
    }

    /// Returns `/a/b` for `/a/b/c.mp4`, and `.` for a path without a folder.
    package static func folder(of path: String) -> String {
        let parts = names(path)
        let root = isAbsolute(path) ? "/" : ""
        return parts.count > 1 ? root + parts.dropLast().joined(separator: "/") : root.isEmpty ? "." : root
    }

    /// Returns the path of another file in the same folder.
    package static func sibling(of path: String, named name: String) -> String {
        path.utf8.contains(UInt8(ascii: "/")) ? joining(folder(of: path), name) : name
    }

    /// Returns `mp4` for `c.MP4`, and nothing if there is no extension.
    package static func fileExtension(of path: String) -> String {
        let name = name(of: path)
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "" }
        return name[name.index(after: dot)...].lowercased()
    }

    /// Returns why an input that does not exist cannot be read if it is a URL; otherwise `nil`.
    package static func refusal(ofURL input: String) -> String? {
        guard input.prefixMatch(of: /[A-Za-z][A-Za-z0-9+.-]*:\/\//) != nil else { return nil }
        return "is a URL; vidscan reads local files only: download the video first, and name the file"
    }

    package static func joining(_ folder: String, _ name: String) -> String {
        folder.utf8.last == UInt8(ascii: "/") ? folder + name : "\(folder)/\(name)"
    }

    package static func isAbsolute(_ path: String) -> Bool { path.utf8.first == UInt8(ascii: "/") }

    /// Returns the path from the root, without `.`, `..` and repeated slashes. Links are followed only where `..` goes
    /// up from one, as the kernel does. An open folder's path becomes that of the folder.
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
            let whole = "/" + parts.joined(separator: "/")
            parts = (linkTarget(of: whole).map(names) ?? parts).dropLast()
        }
        return "/" + parts.joined(separator: "/")
    }

    /// Returns the path with the home folder in place of a leading `~` or `~user`, which a shell replaces only at the
    /// beginning of an argument.
    package static func expandingHome(_ path: String) -> String {
        guard path.hasPrefix("~") else { return path }
        let user = names(path)[0].dropFirst()
        let home = user.isEmpty ? getenv("HOME") : getpwnam(String(user))?.pointee.pw_dir
        guard let home else { return path }
        return String(cString: home) + String(Substring(path.utf8.dropFirst(1 + user.utf8.count)))
    }

    package static var currentFolder: String {
        guard let path = getcwd(nil, 0) else { return "/" }
        defer { free(path) }
        return String(cString: path)
    }

    /// The folder that contains the running program.
    package static var programFolder: String {
        folder(of: linkTarget(of: "/proc/self/exe") ?? currentFolder + "/vidscan")
    }

    private static func linkTarget(of path: String) -> String? {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK, let target = realpath(path, nil) else {
            return nil
        }
        defer { free(target) }
        return String(cString: target)
    }
}
