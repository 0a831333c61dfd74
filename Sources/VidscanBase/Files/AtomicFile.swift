internal import Glibc

/// A file that appears complete or not at all: it is written under a temporary name, synced, and renamed.
package struct AtomicFile: ~Copyable {
    /// Open for writing.
    package let descriptor: Int32
    private let path: String
    private let temporaryPath: String
    private let replaces: Bool
    private let stage: VidscanError.Stage

    /// - Parameters:
    ///   - replaces: Whether an existing file may be replaced.
    ///   - source: A file that is never replaced.
    /// - Throws: `VidscanError` if something at the path may not be replaced, or if the temporary file cannot be
    ///   created. A file that has the temporary name already, in particular a link, is never written to.
    package init(
        path: String, replaces: Bool = true, source: String? = nil, stage: VidscanError.Stage = .write
    ) throws(VidscanError) {
        if let source, let identity = FileIdentity({ stat(source, $0) }), identity == FileIdentity({ stat(path, $0) }) {
            throw VidscanError(.exists, "\(path) is the source video, which is never replaced", stage: .open)
        }
        try Self.checkVacancy(path, replaces: replaces)
        let temporary = TemporarySibling(of: path, .partial)
        for leftover in temporary.leftovers { unlink(leftover) }
        do throws(SystemError) {
            descriptor = try FileSystem.create(temporary.path)
        } catch {
            throw .writing("cannot write \(path)", error, stage: stage)
        }
        temporaryPath = temporary.path
        self.path = path
        self.replaces = replaces
        self.stage = stage
    }

    deinit {
        close(descriptor)
        // Nothing has this name after the file was renamed.
        unlink(temporaryPath)
    }

    /// A path for libraries that open the file themselves. It leads to the file that was created, even if another file
    /// has taken its name since.
    package var writingPath: String { "/proc/self/fd/\(descriptor)" }

    package func write(_ bytes: [UInt8]) throws(VidscanError) {
        do throws(SystemError) {
            try FileSystem.write(bytes, to: descriptor)
        } catch {
            throw .writing("cannot write \(path)", error, stage: stage)
        }
    }

    package func write(_ text: String) throws(VidscanError) {
        try write(Array(text.utf8))
    }

    /// Syncs the file to disk and gives it its final name.
    package consuming func complete() throws(VidscanError) {
        try Self.checkVacancy(path, replaces: replaces)
        let (descriptor, temporaryPath) = (descriptor, temporaryPath)
        guard FileIdentity({ lstat(temporaryPath, $0) }) == FileIdentity({ fstat(descriptor, $0) }) else {
            throw VidscanError(
                .output, "cannot write \(path): its temporary file was removed meanwhile", stage: stage)
        }
        do throws(SystemError) {
            try FileSystem.sync(descriptor)
            guard rename(temporaryPath, path) == 0 else { throw .current }
            try FileSystem.syncFolder(FilePath.folder(of: path))
        } catch {
            throw .writing("cannot write \(path)", error, stage: stage)
        }
    }

    /// - Throws: `VidscanError` if something at the path may not be replaced.
    package static func checkVacancy(_ path: String, replaces: Bool) throws(VidscanError) {
        var status = stat()
        guard stat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw VidscanError(.exists, "\(path) is not a regular file, and is not replaced", stage: .open)
        }
        guard replaces else {
            throw VidscanError(.exists, "\(path) exists; --force replaces it", stage: .open)
        }
    }
}

/// Identifies a file independently of its path.
private struct FileIdentity: Equatable {
    private let device: dev_t
    private let inode: ino_t

    /// - Parameter read: Calls one of `stat`, `lstat` and `fstat`.
    /// - Returns: `nil` if the call fails.
    init?(_ read: (UnsafeMutablePointer<stat>) -> Int32) {
        var status = stat()
        guard read(&status) == 0 else { return nil }
        device = status.st_dev
        inode = status.st_ino
    }
}
