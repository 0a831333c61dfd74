internal import CLinux
internal import Foundation

/// A file that appears whole, or not at all: it is written beside its place, brought to the disk, and renamed.
struct WholeFile: ~Copyable {
    /// For writing.
    let descriptor: Int32
    private let path: String
    private let partialPath: String

    /// - Throws: `BatchError` when no file can be made beside the path. One that lies there already, a link above all, is
    ///   not written to.
    init(path: String) throws(BatchError) {
        self.path = path
        let parent = PathText.parent(path)
        let prefix = ".\(PathText.name(path)).partial-"
        Self.removeLeftovers(prefix, in: Self.folder(of: path))
        let partialPath = (parent.isEmpty && !path.hasPrefix("/") ? "" : parent + "/") + prefix + "\(getpid())"
        let descriptor = vs_create_file(partialPath)
        guard descriptor >= 0 else { throw BatchError(writing: path, errno) }
        self.descriptor = descriptor
        self.partialPath = partialPath
    }

    deinit {
        close(descriptor)
        // Gone, once it has its final name.
        unlink(partialPath)
    }

    /// Gives it its final name.
    consuming func complete() throws(BatchError) {
        guard fsync(descriptor) == 0, rename(partialPath, path) == 0,
            vs_sync_folder(Self.folder(of: path)) == 0
        else { throw BatchError(writing: path, errno) }
    }

    /// Writes a small file.
    ///
    /// - Throws: `BatchError`.
    static func write(_ text: String, to path: String) throws(BatchError) {
        let file = try WholeFile(path: path)
        guard write(Data(text.utf8), to: file.descriptor) else { throw BatchError(writing: path, errno) }
        try file.complete()
    }

    /// - Returns: `false` when it cannot be written; `errno` says why.
    static func write(_ data: Data, to descriptor: Int32) -> Bool {
        data.withUnsafeBytes { bytes in
            var written = 0
            while written < bytes.count {
                let count = Glibc.write(descriptor, bytes.baseAddress.map { $0 + written }, bytes.count - written)
                if count < 0 && errno == EINTR { continue }
                if count <= 0 { return false }
                written += count
            }
            return true
        }
    }

    private static func folder(of path: String) -> String {
        let parent = PathText.parent(path)
        return parent.isEmpty ? (path.hasPrefix("/") ? "/" : ".") : parent
    }

    /// Removes what killed processes left half-written, and anything that has the name that this process is about to use.
    private static func removeLeftovers(_ prefix: String, in folder: String) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] where name.hasPrefix(prefix) {
            guard let process = pid_t(name.dropFirst(prefix.count)) else { continue }
            if process == getpid() || (kill(process, 0) != 0 && errno == ESRCH) { unlink("\(folder)/\(name)") }
        }
    }
}

extension BatchError {
    /// - Parameter number: the system's error.
    init(writing path: String, _ number: Int32) {
        self.init(
            [ENOSPC, EDQUOT].contains(number) ? .diskFull : .journal,
            "cannot write \(path): \(String(cString: strerror(number)))")
    }
}
