internal import Glibc
public import VidscanBase

/// Compiled models on disk, because compiling one takes several times as long as loading the result.
///
/// The cache only makes runs shorter. If the folder cannot be written, the disk is full or a file is damaged, the models
/// are compiled as if there were no cache. Any number of processes may
/// use one folder at the same time, on any number of machines.
///
/// A file holds OpenVINO's own form of the model, followed by the key and a trailer (``ModelCacheEntry``). OpenVINO
/// trusts that form, so a file is only used if nobody but the current user can have written it and if its checksum is
/// right.
public final class ModelCache: Sendable {
    static let fileExtension = ".model"

    /// The folder that holds the files. Others may keep their own in it, under other names.
    package let folder: PrivateFolder
    /// When a new file makes the total size exceed this, the files that were not used for the longest time are removed.
    private let capacity: Int

    /// The folder that holds the files.
    public var path: String { folder.path }

    /// - Parameters:
    ///   - path: The path of a folder, which is created if it is missing.
    ///   - capacity: The maximum total size in bytes: by default, 30 detectors and meshes.
    /// - Throws: `VidscanError` with the code `setup` if the folder cannot be created, or if others can write to it.
    public init(path: String, capacity: Int = 256 << 20) throws(VidscanError) {
        folder = try PrivateFolder(path)
        self.capacity = capacity
    }

    /// Returns the compiled model for a key, or `nil` if there is none. A damaged one is removed.
    func read(_ key: ModelCacheKey) -> ModelCacheEntry? {
        let name = key.fileName
        guard let file = folder.read(name, limit: capacity) else { return nil }
        guard let entry = ModelCacheEntry(file, key: key.text) else {
            folder.remove(name)
            return nil
        }
        folder.touch(name)
        return entry
    }

    /// Stores a compiled model and removes what exceeds the capacity.
    ///
    /// - Parameter blob: OpenVINO's form of the model.
    func write(_ blob: UnsafeRawBufferPointer, for key: ModelCacheKey) {
        let entry = ModelCacheEntry.end(of: blob, key: key.text)
        let size = blob.count + entry.count
        guard size <= capacity else { return }
        prune(toFit: size, except: key.fileName)
        _ = entry.withUnsafeBytes { folder.write([blob, $0], to: key.fileName) }
    }

    /// Removes a model that OpenVINO rejects.
    func remove(_ key: ModelCacheKey) { folder.remove(key.fileName) }

    /// Removes the least recently used models until another one fits, and what killed processes left. Files that are
    /// not the cache's own are never removed.
    private func prune(toFit size: Int, except name: String) {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let anHourAgo = (Int64(now.tv_sec) - 3600) * 1_000_000_000
        let files = folder.files
        for file in files where PrivateFolder.isTemporary(file.name) && file.modified < anHourAgo {
            folder.remove(file.name)
        }
        let models = files.filter { $0.name.hasSuffix(Self.fileExtension) && $0.name != name }
        var total = models.reduce(size) { $0 + $1.bytes }
        for file in models.sorted(by: { ($0.modified, $0.name) < ($1.modified, $1.name) }) where total > capacity {
            folder.remove(file.name)
            total -= file.bytes
        }
    }
}
