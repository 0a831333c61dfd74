package import VidscanBase

/// Reads a small file that the user names, or that lies in a result, as a whole. A file that is larger than the limit is
/// not read, and a pipe or device is refused, so that no file can take endless time or memory.
package enum TextFile {
    /// - Parameters:
    ///   - name: The name of the file in `folder`.
    ///   - limit: The maximum size in bytes.
    /// - Returns: `nil` if the file is not valid UTF-8.
    /// - Throws: `VidscanError` if it cannot be read, is no regular file, or is larger than the limit.
    package static func read(folder: String, name: String, limit: Int) throws(VidscanError) -> String? {
        String(validating: try ReadableFile(folder: folder, name: name).contents(limit: limit), as: UTF8.self)
    }

    /// - Returns: `nil` if the file is not valid UTF-8.
    /// - Throws: `VidscanError`, whose reason says `it` instead of the path.
    package static func read(path: String, limit: Int) throws(VidscanError) -> String? {
        String(validating: try bytes(path: path, limit: limit), as: UTF8.self)
    }

    /// - Throws: `VidscanError`, whose reason says `it` instead of the path.
    package static func bytes(path: String, limit: Int) throws(VidscanError) -> [UInt8] {
        try ReadableFile(path: path, name: "it").contents(limit: limit)
    }
}
