internal import CLinux
internal import Foundation
internal import VidscanBase

/// A file that appears complete or not at all: it is written under a temporary name, synced, and renamed.
struct AtomicFile: ~Copyable {
    /// Open for writing.
    let descriptor: Int32
    private let path: String
    private let partialPath: String

    /// - Throws: `BatchError` if the temporary file cannot be created. A file that already has that name, in particular a
    ///   link, is never written to.
    init(path: String) throws(BatchError) {
        self.path = path
        let parent = PathComponents.parent(path)
        let prefix = ".\(PathComponents.name(path)).partial-"
        Self.removeLeftovers(prefix, in: Self.folder(of: path))
        let partialPath = (parent.isEmpty && !path.hasPrefix("/") ? "" : parent + "/") + prefix + "\(getpid())"
        let descriptor = vs_create_file(partialPath)
        guard descriptor >= 0 else { throw BatchError(writing: path, errno) }
        self.descriptor = descriptor
        self.partialPath = partialPath
    }

    deinit {
        close(descriptor)
        // There is nothing to remove after the file was renamed.
        unlink(partialPath)
    }

    /// Syncs the file and gives it its final name.
    consuming func complete() throws(BatchError) {
        guard fsync(descriptor) == 0, rename(partialPath, path) == 0,
            vs_sync_folder(Self.folder(of: path)) == 0
        else { throw BatchError(writing: path, errno) }
    }

    /// Writes a small file.
    static func write(_ text: String, to path: String) throws(BatchError) {
        let file = try AtomicFile(path: path)
        guard write(Data(text.utf8), to: file.descriptor) else { throw BatchError(writing: path, errno) }
        try file.complete()
    }

    /// Writes all bytes to a descriptor.
    ///
    /// - Returns: `false` on failure; `errno` says why.
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
        let parent = PathComponents.parent(path)
        return parent.isEmpty ? (path.hasPrefix("/") ? "/" : ".") : parent
    }

    /// Removes the temporary files of killed processes, and a file with the name that this process is about to use.
    private static func removeLeftovers(_ prefix: String, in folder: String) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] where name.hasPrefix(prefix) {
            guard let process = Int32(name.dropFirst(prefix.count)) else { continue }
            if !ProcessIdentity.isOtherRunning(process) { unlink("\(folder)/\(name)") }
        }
    }
}

extension BatchError {
    /// - Parameter number: the value of `errno`.
    init(writing path: String, _ number: Int32) {
        self.init(
            [ENOSPC, EDQUOT].contains(number) ? .diskFull : .journal,
            "cannot write \(path): \(String(cString: strerror(number)))")
    }
}
