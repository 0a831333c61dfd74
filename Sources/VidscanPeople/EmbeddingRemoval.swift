internal import Foundation
package import VidscanBase
internal import VidscanResults

package enum EmbeddingRemoval {
    /// Removes `embeddings.npy` from a result, and what `run.json` says about it; of a corrected result, those from
    /// before the corrections too. Keeps `run.json`'s modification time, because batches go by it. Returns whether
    /// there was something to remove. If `run.json` cannot be written, it throws, but the embeddings are gone.
    package static func remove(from path: String) throws(VidscanError) -> Bool {
        do throws(VidscanError) {
            var hadSome = false
            var folders = [try VidscanError.reading("cannot open the folder", try Folder(path))]
            if folders[0].entry(ResultFiles.originals) == .folder {
                folders.append(
                    try VidscanError.reading("cannot open the folder", try folders[0].folder(ResultFiles.originals)))
            }
            for folder in folders {
                if try removeFile(folder) { hadSome = true }
                guard folder.entry(ResultFolder.Kind.result.record) != nil else { continue }
                if try clearRecord(folder) { hadSome = true }
            }
            return hadSome
        } catch { throw error.naming(path) }
    }

    private static func removeFile(_ folder: Folder) throws(VidscanError) -> Bool {
        try require(
            folder.entry(EmbeddingFile.name) != .link, .output,
            "\(EmbeddingFile.name) is a link; remove it and the file to which it leads")
        do throws(SystemError) {
            try folder.removeFile(EmbeddingFile.name)
            try folder.sync()
        } catch {
            if error.number == ENOENT { return false }
            throw .writing("cannot remove \(EmbeddingFile.name)", error)
        }
        return true
    }

    private static func clearRecord(_ folder: Folder) throws(VidscanError) -> Bool {
        let name = ResultFolder.Kind.result.record
        let record = try RecordFile.decode(JSONValue.self, folder: folder.path, name: name)
        guard case .object(var members) = record, members.removeValue(forKey: "embeddings") != nil else { return false }
        var status = stat()
        guard stat("\(folder.path)/\(name)", &status) == 0 else { throw .writing("cannot read \(name)", .current) }
        let file = try AtomicFile(in: folder, named: name, path: name)
        try file.write(try RecordFile.text(JSONValue.object(members), name: name))
        guard futimens(file.descriptor, [status.st_atim, status.st_mtim]) == 0 else {
            throw .writing("cannot write \(name)", .current)
        }
        try file.complete()
        return true
    }
}
