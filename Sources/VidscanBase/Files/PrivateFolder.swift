internal import Glibc

/// A folder that belongs to the current user and to which nobody else can write, for files that must not come from
/// anybody else.
///
/// It is opened once and then used through its descriptor. It stays the folder that was examined even if its path leads
/// elsewhere later. A file in it counts only if it, too, belongs to the user and is writable to nobody else: a privileged
/// program or an earlier, looser mode may have let others put files there.
package final class PrivateFolder: Sendable {
    package struct File: Sendable, Equatable {
        package let name: String
        package let bytes: Int
        /// The time of the last change, in nanoseconds since 1970.
        package let modified: Int64
    }

    package let path: String
    private let descriptor: Int32

    /// Opens the folder. If it is missing, it is created, with all folders above it that are missing, for the current
    /// user alone.
    ///
    /// - Throws: `VidscanError` with the code `setup` if that fails, or if others can write to the folder.
    package init(_ path: String) throws(VidscanError) {
        self.path = path
        if access(path, F_OK) != 0 { Self.create(path) }
        descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw VidscanError(.setup, "cannot open \(path): \(SystemError.current)") }
        // `deinit` closes the descriptor also if the initializer throws from here on.
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw VidscanError(.setup, "cannot examine \(path): \(SystemError.current)")
        }
        guard status.st_uid == geteuid() else {
            throw VidscanError(.setup, "\(path) belongs to another user")
        }
        guard !Self.isWritableByOthers(status) else {
            throw VidscanError(.setup, "other users may write to \(path); 'chmod go-w' it")
        }
    }

    deinit { close(descriptor) }

    /// Returns the content of a file, or `nil` if there is none that counts, or if it is larger than the limit.
    package func read(_ name: String, limit: Int) -> AlignedBytes? {
        // Without O_NONBLOCK, opening a named pipe would wait for a writer.
        let file = openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
            !Self.isWritableByOthers(status), status.st_size <= limit
        else { return nil }
        return AlignedBytes(descriptor: file, count: Int(status.st_size))
    }

    /// Writes a file that appears complete or not at all. It is not synced: after a crash of the machine, its content
    /// may be damaged.
    ///
    /// - Returns: Whether the file was written.
    package func write(_ parts: [UnsafeRawBufferPointer], to name: String) -> Bool {
        let temporary = Self.temporaryPrefix + "\(getpid())-\(name)"
        // Another thread that writes the same file has it already.
        let file = openat(descriptor, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { return false }
        let isComplete = parts.allSatisfy { Self.write($0, to: file) }
        // Some file systems report only here that the disk is full.
        guard close(file) == 0, isComplete, renameat(descriptor, temporary, descriptor, name) == 0 else {
            unlinkat(descriptor, temporary, 0)
            return false
        }
        return true
    }

    package func remove(_ name: String) { unlinkat(descriptor, name, 0) }

    /// Sets a file's time of change to now.
    package func touch(_ name: String) { utimensat(descriptor, name, nil, AT_SYMLINK_NOFOLLOW) }

    /// The regular files in the folder.
    package var files: [File] {
        // Through the descriptor, because the path may lead elsewhere by now.
        let names = (try? FileSystem.names(in: "/proc/self/fd/\(descriptor)")) ?? []
        return names.compactMap { name in
            var status = stat()
            let name = String(decoding: name, as: UTF8.self)
            guard fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0, status.st_mode & S_IFMT == S_IFREG
            else { return nil }
            return File(
                name: name, bytes: Int(status.st_size),
                modified: Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec))
        }
    }

    /// Whether a name is that of a file that is not complete yet. A killed process leaves it behind.
    package static func isTemporary(_ name: String) -> Bool { name.hasPrefix(temporaryPrefix) }

    private static let temporaryPrefix = ".partial-"

    private static func isWritableByOthers(_ status: stat) -> Bool { status.st_mode & (S_IWGRP | S_IWOTH) != 0 }

    /// Creates what is missing of a path. Whether that succeeds shows when the folder is opened.
    private static func create(_ path: String) {
        guard mkdir(path, 0o700) != 0, errno == ENOENT else { return }
        let parent = FilePath.folder(of: path)
        guard parent != path, parent != "." else { return }
        create(parent)
        mkdir(path, 0o700)
    }

    private static func write(_ bytes: UnsafeRawBufferPointer, to file: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Glibc.write(file, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
