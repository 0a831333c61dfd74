internal import CLinux
internal import Glibc

/// A folder's descriptor: stays the same folder even if its path leads elsewhere later. Never follows a link below it.
package final class Folder: Sendable {
    package enum Entry: Sendable, Equatable {
        case file, folder, link, other

        init(_ status: stat) {
            self =
                switch status.st_mode & S_IFMT {
                case S_IFREG: .file
                case S_IFDIR: .folder
                case S_IFLNK: .link
                default: .other
                }
        }
    }

    package let descriptor: Int32

    /// Opens a folder that the user has named, following links.
    package convenience init(_ path: String) throws(SystemError) { try self.init(opening: path) }

    private init(opening path: String, in folder: Int32 = AT_FDCWD, flags: Int32 = 0) throws(SystemError) {
        descriptor = try SystemError.check(openat(folder, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | flags))
    }

    deinit { close(descriptor) }

    /// Leads to this folder even if its name changes, for code that takes a path.
    package var path: String { "/proc/self/fd/\(descriptor)" }

    /// Opens a folder below this one, name by name; empty or `.` is this one. Throws `ELOOP` or `ENOTDIR` for a link.
    package func folder(_ relativePath: String, creates: Bool = false) throws(SystemError) -> Folder {
        var folder = self
        for name in FilePath.names(relativePath).map(String.init) where name != "." {
            guard name != ".." else { throw SystemError(EINVAL) }
            if creates, mkdirat(folder.descriptor, name, 0o777) != 0, errno != EEXIST { throw .current }
            folder = try Folder(opening: name, in: folder.descriptor, flags: O_NOFOLLOW)
        }
        return folder
    }

    /// Locks the folder until it is closed. Returns whether no other process has locked it, as far as the file system
    /// can tell: some network file systems have no locks, which is another error.
    package func lock() -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK }
    private func status(_ name: String) -> stat? { FileSystem.status(name, in: descriptor, followsLinks: false) }
    package func entry(_ name: String) -> Entry? { status(name).map(Entry.init) }

    /// The time of the last change, in nanoseconds since 1970.
    package func modified(_ name: String) -> Int64? {
        status(name).map { Int64($0.st_mtim.tv_sec) * 1_000_000_000 + Int64($0.st_mtim.tv_nsec) }
    }

    /// Removes permissions that the file or folder about to be replaced lacks, so that private results stay private.
    package func restrict(_ file: Int32, like name: String) {
        var new = stat()
        guard let old = status(name), entry(name) != .link, fstat(file, &new) == 0 else { return }
        fchmod(file, new.st_mode & 0o7777 & (old.st_mode | 0o7700))
    }

    package func names() throws(SystemError) -> [[UInt8]] { try FileSystem.names(in: path) }

    /// Throws `EEXIST` if the name is taken.
    package func createFolder(_ name: String, isPrivate: Bool = false) throws(SystemError) -> Int32 {
        try SystemError.check(mkdirat(descriptor, name, isPrivate ? 0o700 : 0o755))
        return try SystemError.check(openat(descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC))
    }

    /// Throws `EEXIST` if the name is taken. Opens for reading and writing.
    package func createFile(_ name: String) throws(SystemError) -> Int32 { try FileSystem.create(name, in: descriptor) }

    /// Opens a file or folder to examine or lock it; never a link, and never waiting for the writer of a named pipe.
    package func examine(_ name: String) -> Int32? {
        let file = openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        return file >= 0 ? file : nil
    }

    /// Whether a name still leads to the file or folder that a descriptor is open for.
    package func leads(_ name: String, to file: Int32) -> Bool {
        var open = stat()
        guard let named = status(name), fstat(file, &open) == 0 else { return false }
        return named.st_dev == open.st_dev && named.st_ino == open.st_ino
    }

    /// Replaces a file with the new name.
    package func rename(_ name: String, to newName: String) throws(SystemError) {
        try SystemError.check(renameat(descriptor, name, descriptor, newName))
    }

    /// Throws `EEXIST` instead of replacing anything.
    package func renameToFree(_ name: String, to newName: String) throws(SystemError) {
        if vs_rename_to_free(descriptor, name, newName) == 0 { return }
        let error = SystemError.current
        // Some file systems do not know the flag. Between the two calls, only an empty folder could be replaced.
        guard [EINVAL, ENOSYS, ENOTSUP].contains(error.number) else { throw error }
        guard entry(newName) == nil else { throw SystemError(EEXIST) }
        try rename(name, to: newName)
    }

    /// Exchanges two names in one step, so that every reader finds both.
    package func exchange(_ name: String, with other: String) throws(SystemError) {
        try SystemError.check(vs_exchange(descriptor, name, other))
    }

    package func removeFile(_ name: String) throws(SystemError) { try SystemError.check(unlinkat(descriptor, name, 0)) }

    /// Removes a folder with everything in it, but never what links lead to.
    package func remove(_ name: String) throws(SystemError) { try Self.remove(Array(name.utf8), in: descriptor) }
    package func removeIfEmpty(_ name: String) -> Bool { unlinkat(descriptor, name, AT_REMOVEDIR) == 0 }

    /// Syncs the names in the folder, if the file system can do that.
    package func sync() throws(SystemError) {
        do { try FileSystem.sync(descriptor) } catch {
            guard error.number == EINVAL || error.number == ENOTSUP else { throw error }
        }
    }

    private static func remove(_ name: [UInt8], in folder: Int32) throws(SystemError) {
        let name = name.map(CChar.init(bitPattern:)) + [0]
        guard unlinkat(folder, name, 0) != 0 else { return }
        let error = SystemError.current
        let inner = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard inner >= 0 else { throw error }
        defer { close(inner) }
        for name in try FileSystem.names(in: "/proc/self/fd/\(inner)") { try remove(name, in: inner) }
        try SystemError.check(unlinkat(folder, name, AT_REMOVEDIR))
    }
}
