internal import Foundation

/// What the file system currently says about a file.
struct FileState: Equatable {
    var identity: FileIdentity
    /// See `BatchInput.changed`.
    var changed: Int64

    /// - Returns: `nil` if there is no such file; `errno` says why.
    init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        identity = FileIdentity(bytes: Int64(status.st_size), modified: Self.nanoseconds(status.st_mtim))
        changed = Self.nanoseconds(status.st_ctim)
    }

    private static func nanoseconds(_ time: timespec) -> Int64 {
        Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
