internal import Foundation
public import VidscanBase
internal import VidscanResults

/// Removes the embeddings from results.
public enum EmbeddingRemoval {
    /// Removes `embeddings.npy` from a result, and what `run.json` says about it; of a corrected result, those from before
    /// the corrections too. Everything else stays, `run.json`'s modification time too, because batches go by it.
    ///
    /// - Parameter path: A result.
    /// - Returns: Whether there was something to remove.
    /// - Throws: `VidscanError`. If `run.json` could not be written, the embeddings are gone nevertheless.
    public static func remove(from path: String) throws(VidscanError) -> Bool {
        do throws(VidscanError) {
            let result = try open { () throws(SystemError) in try Folder(path) }
            var hadSome = false
            var folders = [result]
            if result.entry(ResultFiles.originals) == .folder {
                folders.append(try open { () throws(SystemError) in try result.folder(ResultFiles.originals) })
            }
            for folder in folders where folder.entry(ResultFolder.Kind.result.record) != nil {
                let hadFile = try removeFile(folder)
                hadSome = try clearRecord(folder) || hadFile || hadSome
            }
            return hadSome
        } catch {
            throw error.naming(path)
        }
    }

    /// Returns the results that a path leads to.
    ///
    /// - Parameter path: A result, or a folder with results.
    public static func results(_ path: String) throws(VidscanError) -> [String] { try ResultFinder.find(path) }

    private static func open(_ body: () throws(SystemError) -> Folder) throws(VidscanError) -> Folder {
        do throws(SystemError) {
            return try body()
        } catch {
            throw VidscanError(.result, "cannot open the folder: \(error)", stage: .open)
        }
    }

    private static func removeFile(_ folder: Folder) throws(VidscanError) -> Bool {
        do throws(SystemError) {
            try folder.removeFile(EmbeddingFile.name)
            try folder.sync()
        } catch {
            if error.number == ENOENT { return false }
            throw .writing("cannot remove \(EmbeddingFile.name)", error, stage: .write)
        }
        return true
    }

    private static func clearRecord(_ folder: Folder) throws(VidscanError) -> Bool {
        let name = ResultFolder.Kind.result.record
        let record = try RecordFile.decode(JSONValue.self, folder: folder.path, name: name)
        guard case .object(var members) = record, members.removeValue(forKey: "embeddings") != nil else {
            return false
        }
        var status = stat()
        guard stat("\(folder.path)/\(name)", &status) == 0 else {
            throw .writing("cannot read \(name)", .current, stage: .write)
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let bytes: Data
        do {
            bytes = try encoder.encode(JSONValue.object(members))
        } catch {
            throw VidscanError(.output, "cannot write \(name): \(error.localizedDescription)", stage: .write)
        }
        let file = try AtomicFile(in: folder, named: name, path: name)
        try file.write(Array(bytes) + [UInt8(ascii: "\n")])
        guard futimens(file.descriptor, [status.st_atim, status.st_mtim]) == 0 else {
            throw .writing("cannot write \(name)", .current, stage: .write)
        }
        try file.complete()
        return true
    }
}
