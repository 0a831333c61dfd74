internal import Foundation

/// Splits paths and makes them absolute.
package enum FilePath {
    /// Splits a path into its folder and the name within it.
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
