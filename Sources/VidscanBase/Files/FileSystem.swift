internal import Glibc

/// The system calls that bring a file to the disk.
package enum FileSystem {
    /// Creates a file and opens it for reading and writing. A file or link that exists at the path is left as it is.
    package static func create(_ path: String) throws(SystemError) -> Int32 {
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw .current }
        return descriptor
    }

    /// Reads a file, pipe or device to its end, but at most one byte more than the limit.
    ///
    /// - Returns: More bytes than the limit if there are more.
    package static func read(_ descriptor: Int32, limit: Int) throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count <= limit {
            let kept = bytes.count
            let wanted = min(1 << 16, limit + 1 - kept)
            bytes.append(contentsOf: repeatElement(0, count: wanted))
            let count = bytes.withUnsafeMutableBytes {
                Glibc.read(descriptor, $0.baseAddress.map { $0 + kept }, wanted)
            }
            let error = SystemError.current
            bytes.removeLast(wanted - max(count, 0))
            if count < 0, error.number != EINTR { throw error }
            if count == 0 { break }
        }
        return bytes
    }

    /// Writes all bytes, in as many calls as it takes.
    package static func write(_ bytes: [UInt8], to descriptor: Int32) throws(SystemError) {
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN {
                // Another program that has the same pipe or terminal open can make it non-blocking.
                var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&waiting, 1, -1)
                continue
            }
            guard count > 0 else { throw .current }
            written += count
        }
    }

    /// Creates a folder, and those above it that are missing. One that exists stays as it is.
    package static func createFolder(_ path: String) throws(SystemError) {
        guard mkdir(path, 0o777) != 0 else { return }
        let error = SystemError.current
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { return }
        let parent = FilePath.folder(of: path)
        guard error.number == ENOENT, parent != path, parent != "." else {
            // A file that is in the way is a clearer reason than its mere existence.
            throw error.number == EEXIST ? SystemError(ENOTDIR) : error
        }
        try createFolder(parent)
        guard mkdir(path, 0o777) == 0 || errno == EEXIST else { throw .current }
    }

    /// Syncs the content of a file to disk.
    package static func sync(_ descriptor: Int32) throws(SystemError) {
        guard fsync(descriptor) == 0 else { throw .current }
    }

    /// The names in a folder, as bytes because a name may be no UTF-8 text.
    package static func names(in folder: String) throws(SystemError) -> [[UInt8]] {
        guard let stream = opendir(folder) else { throw .current }
        defer { closedir(stream) }
        var names: [[UInt8]] = []
        while let entry = readdir(stream) {
            // The name ends with a zero byte within its fixed size.
            names.append(withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) })
        }
        return names
    }
}
