package import VidscanBase

/// Reads a small text file as a whole.
package enum TextFile {
    /// - Parameters:
    ///   - name: The name of the file in `folder`.
    ///   - limit: The maximum size in bytes.
    /// - Returns: `nil` if the file is not valid UTF-8.
    /// - Throws: `VidscanError` if it cannot be read, is no regular file, or is larger than the limit.
    package static func read(folder: String, name: String, limit: Int) throws(VidscanError) -> String? {
        String(validating: try ReadableFile(folder: folder, name: name).contents(limit: limit), as: UTF8.self)
    }
}
