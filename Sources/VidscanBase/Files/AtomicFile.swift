internal import Glibc

/// A file that appears complete or not at all: it has a temporary name until it is synced.
package struct AtomicFile: ~Copyable {
    private let path, name: String
    private let folder: Folder
    private let item: WorkingItem
    private let replaces: Bool
    private let stage: VidscanError.Stage

    /// Follows links to the file's folder. Never replaces `source`.
    package init(
        path: String, replaces: Bool = true, source: String? = nil, stage: VidscanError.Stage = .write
    ) throws(VidscanError) {
        if let source, FileSystem.areSame(source, path) {
            throw VidscanError(.exists, "\(path) is the source video, which is never replaced", stage: .open)
        }
        try Self.checkVacancy(path, replaces: replaces)
        let folder = try VidscanError.writing(
            "cannot write \(path)", stage: stage, try Folder(FilePath.folder(of: path)))
        try self.init(in: folder, named: FilePath.name(of: path), path: path, replaces: replaces, stage: stage)
    }

    /// `path` is for messages.
    package init(
        in folder: Folder, named name: String, path: String, replaces: Bool = true, stage: VidscanError.Stage = .write
    ) throws(VidscanError) {
        item = try VidscanError.writing("cannot write \(path)", stage: stage, try .file(for: name, in: folder))
        folder.restrict(item.descriptor, like: name)
        (self.path, self.folder, self.name) = (path, folder, name)
        (self.replaces, self.stage) = (replaces, stage)
    }

    deinit {
        // After `complete`, nothing has this name.
        try? folder.removeFile(item.name)
    }

    package var descriptor: Int32 { item.descriptor }
    /// For libraries that open the file themselves. Leads to the created file even if another one has taken its name.
    package var writingPath: String { item.path }

    package func write(_ bytes: [UInt8]) throws(VidscanError) {
        try VidscanError.writing("cannot write \(path)", stage: stage, try FileSystem.write(bytes, to: descriptor))
    }

    package func write(_ text: String) throws(VidscanError) { try write(Array(text.utf8)) }

    package static func write(
        _ text: String, to path: String, replaces: Bool = true, source: String? = nil,
        stage: VidscanError.Stage = .write
    ) throws(VidscanError) {
        let file = try AtomicFile(path: path, replaces: replaces, source: source, stage: stage)
        try file.write(text)
        try file.complete()
    }

    package consuming func complete() throws(VidscanError) {
        try Self.checkVacancy("\(folder.path)/\(name)", shown: path, replaces: replaces)
        try require(
            item.isInPlace, .output, "cannot write \(path): its temporary file was removed meanwhile", stage: stage)
        do throws(SystemError) {
            try FileSystem.sync(item.descriptor)
            if replaces { try folder.rename(item.name, to: name) } else { try folder.renameToFree(item.name, to: name) }
            try folder.sync()
        } catch {
            guard error.number != EEXIST else { throw Self.isThere(path) }
            throw .writing("cannot write \(path)", error, stage: stage)
        }
    }

    /// `shown` is the path in messages.
    package static func checkVacancy(_ path: String, shown name: String? = nil, replaces: Bool) throws(VidscanError) {
        guard let entry = FileSystem.entry(path) else { return }
        try require(entry == .file, .exists, "\(name ?? path) is not a regular file, and is not replaced", stage: .open)
        guard replaces else { throw isThere(name ?? path) }
    }

    private static func isThere(_ path: String) -> VidscanError {
        VidscanError(.exists, "\(path) exists; --force replaces it", stage: .open)
    }
}
