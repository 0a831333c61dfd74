/// Parts of a path, as plain text. `NSString`'s `lastPathComponent` crashes on a name of one letter.
enum PathComponents {
    /// `c.mp4` of `/a/b/c.mp4`
    static func name(_ path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? path
    }

    /// `a/b` of `a/b/c.mp4`; empty if there is no folder.
    static func parent(_ path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
    }

    /// `mp4` of `c.MP4`; empty if there is none.
    static func fileExtension(_ path: String) -> String {
        let name = name(path)
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "" }
        return name[name.index(after: dot)...].lowercased()
    }

    /// The path without `.`, `..` and repeated slashes. Links are not resolved.
    static func absolute(_ path: String, in folder: String) -> String {
        var components: [Substring] = []
        for component in (path.hasPrefix("/") ? path : "\(folder)/\(path)").split(separator: "/") where component != "."
        {
            if component == ".." { components = components.dropLast() } else { components.append(component) }
        }
        return "/" + components.joined(separator: "/")
    }
}
