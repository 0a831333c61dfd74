internal import Glibc
internal import VidscanBase

/// A file that is read back from its beginning. It must be a regular file: a pipe would block, and a folder has no
/// contents to read.
final class ReadableFile: Sendable {
    /// The name for messages.
    let name: String
    /// The size in bytes when the file was opened.
    let size: Int64
    private let descriptor: Int32

    /// - Parameter name: The name of the file in `folder`.
    convenience init(folder: String, name: String) throws(VidscanError) {
        try self.init(path: folder + "/" + name, name: name)
    }

    /// - Parameter name: The name for messages.
    init(path: String, name: String) throws(VidscanError) {
        self.name = name
        // Without O_NONBLOCK, opening a named pipe would wait for a writer.
        descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw VidscanError(.result, "cannot read \(name): \(SystemError.current)", stage: .open)
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw VidscanError(.result, "cannot read \(name): it is not a regular file", stage: .open)
        }
        size = Int64(status.st_size)
    }

    deinit { close(descriptor) }

    /// Appends the next bytes, at most `count`, to a buffer.
    ///
    /// - Returns: `false` at the end of the file.
    func read(upTo count: Int, into buffer: inout [UInt8]) throws(VidscanError) -> Bool {
        let kept = buffer.count
        buffer.append(contentsOf: repeatElement(0, count: count))
        var received = 0
        repeat {
            received = buffer.withUnsafeMutableBytes { bytes in
                Glibc.read(descriptor, bytes.baseAddress.map { $0 + kept }, count)
            }
        } while received < 0 && errno == EINTR
        let error = SystemError.current
        buffer.removeLast(count - max(received, 0))
        guard received >= 0 else {
            throw VidscanError(.result, "cannot read \(name): \(error)", stage: .open)
        }
        return received > 0
    }

    /// Returns bytes from the middle of the file. Any thread may call this.
    ///
    /// - Throws: `VidscanError` if the file has fewer bytes.
    func read(_ count: Int, at offset: Int) throws(VidscanError) -> [UInt8] {
        var received = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            repeat {
                received = pread(descriptor, buffer.baseAddress, count, off_t(offset))
            } while received < 0 && errno == EINTR
            initialized = max(received, 0)
        }
        guard received == count else {
            let reason = received < 0 ? "\(SystemError.current)" : "it is truncated"
            throw VidscanError(.result, "cannot read \(name): \(reason)", stage: .open)
        }
        return bytes
    }

    /// Returns the whole of a small file.
    ///
    /// - Throws: `VidscanError` if the file is larger than `limit` bytes; at most one byte more is read.
    func contents(limit: Int) throws(VidscanError) -> [UInt8] {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try FileSystem.read(descriptor, limit: limit)
        } catch {
            throw VidscanError(.result, "cannot read \(name): \(error)", stage: .open)
        }
        guard bytes.count <= limit else {
            throw VidscanError(.result, "\(name) is larger than \(limit) bytes", stage: .open)
        }
        return bytes
    }
}
