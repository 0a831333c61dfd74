internal import CLinux
internal import Glibc

/// A folder that is opened once and then used through its descriptor, so that it stays the same folder if its path leads
/// elsewhere later. Nothing below it is reached through a symbolic link.
package final class Folder: Sendable {
    /// What a name in a folder stands for.
    package enum Entry: Sendable, Equatable {
        case file, folder, link, other
    }

    package let descriptor: Int32

    /// Opens a folder that the user has named: links on the way to it are followed.
    package convenience init(_ path: String) throws(SystemError) {
        try self.init(opening: path, in: AT_FDCWD, flags: 0)
    }

    private init(opening path: String, in folder: Int32, flags: Int32) throws(SystemError) {
        descriptor = openat(folder, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | flags)
        guard descriptor >= 0 else { throw .current }
    }

    deinit { close(descriptor) }

    /// A path that leads to this folder even if its name changes, for code that takes a path.
    package var path: String { "/proc/self/fd/\(descriptor)" }

    /// Opens a folder below this one, one name after another, without following links.
    ///
    /// - Parameters:
    ///   - relativePath: Names with slashes between them; empty or `.` for this folder.
    ///   - creates: Whether to create what is missing.
    /// - Throws: `SystemError`; `ELOOP` or `ENOTDIR` if a name is that of a link.
    package func folder(_ relativePath: String, creates: Bool = false) throws(SystemError) -> Folder {
        var folder = self
        for name in FilePath.names(relativePath).map(String.init) {
            guard name != "." else { continue }
            guard name != ".." else { throw SystemError(EINVAL) }
            if creates, mkdirat(folder.descriptor, name, 0o777) != 0, errno != EEXIST { throw .current }
            folder = try Folder(opening: name, in: folder.descriptor, flags: O_NOFOLLOW)
        }
        return folder
    }

    /// - Returns: What a name stands for, without following a link; `nil` if there is no such name.
    package func entry(_ name: String) -> Entry? {
        Self.status(name, in: descriptor).map(Self.entry)
    }

    /// When a file was last changed, in nanoseconds since 1970; `nil` if there is none.
    package func modified(_ name: String) -> Int64? {
        Self.status(name, in: descriptor).map {
            Int64($0.st_mtim.tv_sec) * 1_000_000_000 + Int64($0.st_mtim.tv_nsec)
        }
    }

    /// The names in the folder, without `.` and `..`, as bytes because a name need not be UTF-8.
    package func names() throws(SystemError) -> [[UInt8]] {
        try FileSystem.names(in: path).filter { $0 != [0x2E] && $0 != [0x2E, 0x2E] }
    }

    /// Creates a folder that did not exist, and opens it.
    package func createFolder(_ name: String, isPrivate: Bool = false) throws(SystemError) -> Int32 {
        guard mkdirat(descriptor, name, isPrivate ? 0o700 : 0o755) == 0 else { throw .current }
        let folder = openat(descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard folder >= 0 else { throw .current }
        return folder
    }

    /// Creates a file that did not exist, and opens it for reading and writing.
    package func createFile(_ name: String) throws(SystemError) -> Int32 {
        let file = openat(descriptor, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
        guard file >= 0 else { throw .current }
        return file
    }

    /// Opens a file or folder to examine or lock it; never a link, and without waiting for a writer of a named pipe.
    package func examine(_ name: String) -> Int32? {
        let file = openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        return file >= 0 ? file : nil
    }

    /// Whether a name stands for the file or folder that a descriptor is open for.
    package func leads(_ name: String, to file: Int32) -> Bool {
        var open = stat()
        guard let named = Self.status(name, in: descriptor), fstat(file, &open) == 0 else { return false }
        return named.st_dev == open.st_dev && named.st_ino == open.st_ino
    }

    /// Gives a file or folder another name in this folder, in place of a file that has it.
    package func rename(_ name: String, to newName: String) throws(SystemError) {
        guard renameat(descriptor, name, descriptor, newName) == 0 else { throw .current }
    }

    /// The same, but nothing that exists is replaced: the error is then `EEXIST`.
    package func renameToFree(_ name: String, to newName: String) throws(SystemError) {
        if vs_rename_to_free(descriptor, name, newName) == 0 { return }
        let error = SystemError.current
        // Some file systems do not know the flag. Between the two calls, only an empty folder could be replaced.
        guard [EINVAL, ENOSYS, ENOTSUP].contains(error.number) else { throw error }
        guard entry(newName) == nil else { throw SystemError(EEXIST) }
        try rename(name, to: newName)
    }

    /// Exchanges two names in one step, so that no reader ever finds neither.
    package func exchange(_ name: String, with other: String) throws(SystemError) {
        guard vs_exchange(descriptor, name, other) == 0 else { throw .current }
    }

    package func removeFile(_ name: String) throws(SystemError) {
        guard unlinkat(descriptor, name, 0) == 0 else { throw .current }
    }

    /// Removes a file, a link, or a folder with everything in it. What links lead to stays.
    package func remove(_ name: String) throws(SystemError) {
        try Self.remove(Array(name.utf8), in: descriptor)
    }

    /// Removes a folder if it is empty.
    ///
    /// - Returns: Whether it is gone.
    package func removeIfEmpty(_ name: String) -> Bool { unlinkat(descriptor, name, AT_REMOVEDIR) == 0 }

    /// Brings the names in the folder to the disk, if the file system can do that.
    package func sync() throws(SystemError) {
        do {
            try FileSystem.sync(descriptor)
        } catch {
            guard error.number == EINVAL || error.number == ENOTSUP else { throw error }
        }
    }

    private static func status(_ name: String, in folder: Int32) -> stat? {
        var status = stat()
        return fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
    }

    private static func entry(_ status: stat) -> Entry {
        switch status.st_mode & S_IFMT {
        case S_IFREG: .file
        case S_IFDIR: .folder
        case S_IFLNK: .link
        default: .other
        }
    }

    private static func remove(_ name: [UInt8], in folder: Int32) throws(SystemError) {
        let name = name.map(CChar.init(bitPattern:)) + [0]
        guard unlinkat(folder, name, 0) != 0 else { return }
        let error = SystemError.current
        let inner = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard inner >= 0 else { throw error }
        defer { close(inner) }
        for name in try FileSystem.names(in: "/proc/self/fd/\(inner)") where name != [0x2E] && name != [0x2E, 0x2E] {
            try remove(name, in: inner)
        }
        guard unlinkat(folder, name, AT_REMOVEDIR) == 0 else { throw .current }
    }
}
