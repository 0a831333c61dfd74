internal import Foundation

/// Takes paths apart and makes them absolute.
package enum FilePath {
    /// The folder of a path, and the name in it.
    package static func split(_ path: String) -> (folder: String, name: String) {
        guard let slash = path.lastIndex(of: "/") else { return (".", path) }
        let folder = path[..<slash]
        return (folder.isEmpty ? "/" : String(folder), String(path[path.index(after: slash)...]))
    }

    package static func absolute(_ path: String) -> String {
        let whole =
            (path as NSString).isAbsolutePath ? path : FileManager.default.currentDirectoryPath + "/" + path
        return (whole as NSString).standardizingPath
    }
}
