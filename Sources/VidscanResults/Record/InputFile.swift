internal import Glibc
package import VidscanBase
internal import VidscanMedia

/// A file to analyse, as it was at the beginning of the run.
package struct InputFile: Sendable {
    package let name, absolutePath: String
    package let bytes: Int64
    package let modified: Double

    /// Throws unless the path leads to a readable regular file: a folder has no frames, and a pipe would block.
    package init(_ name: String) throws(VidscanError) {
        self.name = name
        let failure = { (code: MediaError.Code, reason: String) in
            VidscanError(.media(code), reason, input: name, stage: .open)
        }
        var status = stat()
        guard stat(name, &status) == 0 else {
            let reason = FilePath.refusal(of: name) ?? "cannot open: \(SystemError.current)"
            // U+FFFD replaces bytes that are not valid UTF-8, on the command line too.
            throw failure(.notFound, name.contains("\u{FFFD}") ? "its name is not valid UTF-8; rename it" : reason)
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw failure(.notAFile, "is a folder; name the files in it, or use 'vidscan batch'")
        default: throw failure(.notAFile, "is not a regular file")
        }
        guard access(name, R_OK) == 0 else { throw failure(.notFound, "cannot open: \(SystemError.current)") }
        absolutePath = FilePath.absolute(name)
        bytes = Int64(status.st_size)
        modified = Double(status.st_mtim.tv_sec) + Double(status.st_mtim.tv_nsec) / 1e9
    }
    package var isUnchanged: Bool {
        guard let now = try? InputFile(absolutePath) else { return false }
        return now.bytes == bytes && now.modified == modified
    }
}
