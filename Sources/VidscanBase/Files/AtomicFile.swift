internal import Glibc

/// A file that appears complete or not at all: it is written under a temporary name, synced, and renamed.
package struct AtomicFile: ~Copyable {
    private let path: String
    private let folder: Folder
    private let name: String
    private let item: WorkingItem
    private let replaces: Bool
    private let stage: VidscanError.Stage

    /// - Parameters:
    ///   - path: The path of the file. Links to its folder are followed.
    ///   - replaces: Whether an existing file may be replaced.
    ///   - source: A file that is never replaced.
    /// - Throws: `VidscanError` if something at the path may not be replaced, or if the temporary file cannot be
    ///   created.
    package init(
        path: String, replaces: Bool = true, source: String? = nil, stage: VidscanError.Stage = .write
    ) throws(VidscanError) {
        if let source, let identity = FileIdentity(source), identity == FileIdentity(path) {
            throw VidscanError(.exists, "\(path) is the source video, which is never replaced", stage: .open)
        }
        try Self.checkVacancy(path, replaces: replaces)
        let folder: Folder
        do throws(SystemError) {
            folder = try Folder(FilePath.folder(of: path))
        } catch {
            throw .writing("cannot write \(path)", error, stage: stage)
        }
        try self.init(in: folder, named: FilePath.name(of: path), path: path, replaces: replaces, stage: stage)
    }

    /// - Parameters:
    ///   - path: The path of the file, for messages.
    ///   - replaces: Whether an existing file may be replaced.
    package init(
        in folder: Folder, named name: String, path: String, replaces: Bool = true, stage: VidscanError.Stage = .write
    ) throws(VidscanError) {
        do throws(SystemError) {
            item = try .file(for: name, in: folder)
        } catch {
            throw .writing("cannot write \(path)", error, stage: stage)
        }
        self.path = path
        self.folder = folder
        self.name = name
        self.replaces = replaces
        self.stage = stage
    }

    deinit {
        // Nothing has this name after the file was renamed.
        try? folder.removeFile(item.name)
    }

    /// Open for writing.
    package var descriptor: Int32 { item.descriptor }

    /// A path for libraries that open the file themselves. It leads to the file that was created, even if another file
    /// has taken its name since.
    package var writingPath: String { item.path }

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
        try Self.checkVacancy("\(folder.path)/\(name)", shown: path, replaces: replaces)
        guard item.isInPlace else {
            throw VidscanError(
                .output, "cannot write \(path): its temporary file was removed meanwhile", stage: stage)
        }
        do throws(SystemError) {
            try FileSystem.sync(item.descriptor)
            if replaces {
                try folder.rename(item.name, to: name)
            } else {
                try folder.renameToFree(item.name, to: name)
            }
            try folder.sync()
        } catch {
            guard error.number != EEXIST else { throw Self.isThere(path) }
            throw .writing("cannot write \(path)", error, stage: stage)
        }
    }

    /// - Parameter shown: The path in messages.
    /// - Throws: `VidscanError` if something at the path may not be replaced.
    package static func checkVacancy(
        _ path: String, shown: String? = nil, replaces: Bool
    ) throws(VidscanError) {
        var status = stat()
        guard stat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw VidscanError(
                .exists, "\(shown ?? path) is not a regular file, and is not replaced", stage: .open)
        }
        guard replaces else { throw isThere(shown ?? path) }
    }

    private static func isThere(_ path: String) -> VidscanError {
        VidscanError(.exists, "\(path) exists; --force replaces it", stage: .open)
    }
}

/// Identifies a file independently of its path.
private struct FileIdentity: Equatable {
    private let device: dev_t
    private let inode: ino_t

    /// - Returns: `nil` if there is no such file.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        device = status.st_dev
        inode = status.st_ino
    }
}
