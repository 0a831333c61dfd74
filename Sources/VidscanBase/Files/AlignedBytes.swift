internal import Glibc

/// The bytes of a file in memory, aligned to a page so that vector code may read them in place.
///
/// A copy rather than a mapping: if the file of a mapping is cut, the next access ends the process.
///
/// `@unchecked Sendable`: the bytes are written once, in the initializer.
package final class AlignedBytes: @unchecked Sendable {
    package let bytes: UnsafeRawBufferPointer

    /// Reads a file from its beginning.
    ///
    /// - Parameters:
    ///   - descriptor: Open for reading.
    ///   - count: The number of bytes.
    /// - Returns: `nil` if there are fewer, or if memory runs out.
    package init?(descriptor: Int32, count: Int) {
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

    /// Reads a whole file.
    ///
    /// - Returns: `nil` if it is not a regular file or cannot be read.
    package convenience init?(path: String) {
        // Without O_NONBLOCK, opening a named pipe would wait for a writer.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        self.init(descriptor: descriptor, count: Int(status.st_size))
    }

    deinit { free(UnsafeMutableRawPointer(mutating: bytes.baseAddress)) }
}
