internal import CLinux
internal import Glibc

/// A file without a name, in memory, for libraries that write only to a path.
package final class MemoryFile {
    private let descriptor: Int32

    /// - Returns: `nil` if the system refuses it, or if the size of files is limited (`ulimit -f`): some libraries do
    ///   not report that a file was cut.
    package init?() {
        guard vs_file_size_is_limited() == 0 else { return nil }
        descriptor = vs_memory_file("vidscan")
        guard descriptor >= 0 else { return nil }
    }

    deinit { close(descriptor) }

    package var writingPath: String { "/proc/self/fd/\(descriptor)" }

    /// What was written so far.
    package var content: AlignedBytes? {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        return AlignedBytes(descriptor: descriptor, count: Int(status.st_size))
    }
}
