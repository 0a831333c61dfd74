internal import Glibc

package enum FileSystem {
    /// Opens for reading and writing. Fails if a file or link exists at the path.
    package static func create(
        _ path: String, in folder: Int32 = AT_FDCWD, isPrivate: Bool = false
    ) throws(SystemError) -> Int32 {
        let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        return try SystemError.check(openat(folder, path, flags, isPrivate ? 0o600 : 0o644))
    }

    /// Opens a file for reading and returns its size. Throws `notRegularFile` for a folder, a pipe or a device.
    package static func openFile(_ path: String) throws(SystemError) -> (descriptor: Int32, size: Int64) {
        // Without O_NONBLOCK, opening a named pipe would wait for a writer.
        let descriptor = try SystemError.check(open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY))
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw .notRegularFile
        }
        return (descriptor, Int64(status.st_size))
    }

    /// Reads to the end, but at most one byte more than the limit, which shows that there is more.
    package static func read(_ descriptor: Int32, limit: Int) throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count <= limit {
            let kept = bytes.count
            let wanted = min(1 << 16, limit + 1 - kept)
            bytes.append(contentsOf: repeatElement(0, count: wanted))
            let got = bytes.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress.map { $0 + kept }, wanted) }
            let error = SystemError.current
            bytes.removeLast(wanted - max(got, 0))
            if got < 0, error.number == EAGAIN { wait(for: POLLIN, of: descriptor) }
            if got < 0, error.number != EINTR, error.number != EAGAIN { throw error }
            if got == 0 { break }
        }
        return bytes
    }

    package static func text(_ path: String) -> String? {
        guard let file = try? openFile(path).descriptor else { return nil }
        defer { close(file) }
        return (try? read(file, limit: 1 << 16)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Another program that has the same pipe or terminal open can make it non-blocking.
    private static func wait(for event: Int32, of descriptor: Int32) {
        var waiting = pollfd(fd: descriptor, events: Int16(event), revents: 0)
        poll(&waiting, 1, -1)
    }

    package static func write(_ bytes: [UInt8], to descriptor: Int32) throws(SystemError) {
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN {
                wait(for: POLLOUT, of: descriptor)
                continue
            }
            guard count > 0 else { throw .current }
            written += count
        }
    }

    package static func copy(_ path: String, to descriptor: Int32) throws(SystemError) {
        let source = try openFile(path).descriptor
        defer { close(source) }
        while case let bytes = try read(source, limit: 0xFFFF), !bytes.isEmpty { try write(bytes, to: descriptor) }
    }

    /// Also creates missing folders above it. Succeeds if the folder exists.
    package static func createFolder(_ path: String) throws(SystemError) {
        guard mkdir(path, 0o777) != 0 else { return }
        let error = SystemError.current
        if entry(path) == .folder { return }
        let parent = FilePath.folder(of: path)
        guard error.number == ENOENT, parent != path, parent != "." else {
            // "Not a directory" explains a file in the way better than "exists".
            throw error.number == EEXIST ? SystemError(ENOTDIR) : error
        }
        try createFolder(parent)
        guard mkdir(path, 0o777) == 0 || errno == EEXIST else { throw .current }
    }

    /// What a path leads to; `nil` if nothing is there, or this user cannot see it.
    package static func entry(_ path: String, followsLinks: Bool = true) -> Folder.Entry? {
        status(path, followsLinks: followsLinks).map(Folder.Entry.init)
    }

    static func status(_ path: String, in folder: Int32 = AT_FDCWD, followsLinks: Bool = true) -> stat? {
        var status = stat()
        return fstatat(folder, path, &status, followsLinks ? 0 : AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
    }

    /// Whether both paths lead to one file.
    static func areSame(_ path: String, _ other: String) -> Bool {
        guard let one = status(path), let two = status(other) else { return false }
        return one.st_dev == two.st_dev && one.st_ino == two.st_ino
    }

    /// The device number of a file's file system; `nil` if the file does not exist.
    package static func device(_ path: String) -> UInt64? { status(path).map { UInt64($0.st_dev) } }

    package static func sync(_ descriptor: Int32) throws(SystemError) { try SystemError.check(fsync(descriptor)) }

    /// Without `.` and `..`; as bytes, because a name need not be UTF-8.
    package static func names(in folder: String) throws(SystemError) -> [[UInt8]] {
        guard let stream = opendir(folder) else { throw .current }
        defer { closedir(stream) }
        var names: [[UInt8]] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            if name != [0x2E], name != [0x2E, 0x2E] { names.append(name) }
        }
        return names
    }
}

/// The bytes of a file in memory, aligned to a page so that vector code may read them in place.
/// A copy, because if somebody truncates a mapped file, the next access ends the process.
///
/// `@unchecked Sendable`: only the initializer writes the bytes.
package final class AlignedBytes: @unchecked Sendable {
    package let bytes: UnsafeRawBufferPointer

    /// Returns `nil` if it is not a regular file, cannot be read or becomes shorter meanwhile, or if memory runs out.
    package init?(path: String) {
        guard let (descriptor, size) = try? FileSystem.openFile(path) else { return nil }
        defer { close(descriptor) }
        let count = Int(size)
        var memory: UnsafeMutableRawPointer?
        guard posix_memalign(&memory, 4096, max(1, count)) == 0, let memory else { return nil }
        bytes = UnsafeRawBufferPointer(start: memory, count: count)
        var position = 0
        while position < count {
            let got = pread(descriptor, memory + position, count - position, position)
            if got < 0, errno == EINTR { continue }
            guard got > 0 else { return nil }
            position += got
        }
    }

    deinit { free(UnsafeMutableRawPointer(mutating: bytes.baseAddress)) }
}
