internal import Glibc
package import VidscanBase
internal import VidscanMedia

extension StoredResult {
    /// Returns this result or, if it is corrected, its originals. Throws if they are missing or another result's.
    package func analysed() throws(VidscanError) -> StoredResult {
        let folder = "\(name)/\(ResultFiles.originals)"
        func entry(_ path: String) -> Folder.Entry? { FileSystem.entry(path, followsLinks: false) }
        guard record.corrections != nil else {
            guard entry(folder) == nil else {
                throw failure("has a folder '\(ResultFiles.originals)', although nothing was corrected; move it away")
            }
            return self
        }
        guard [nil, .folder].contains(entry(folder)) else {
            throw failure(
                "its '\(ResultFiles.originals)' is not a folder, so its tables before the corrections cannot be read;"
                    + " analyse the video again")
        }
        let original: StoredResult
        do throws(VidscanError) { original = try StoredResult(path: folder) } catch {
            throw failure(
                "its tables before the corrections cannot be read: \(ResultFiles.originals): \(error.reason); analyse the"
                    + " video again")
        }
        for file in ResultFiles.corrected
        where entry("\(name)/\(file)") != nil && entry("\(folder)/\(file)") == nil
            && (original.record.digests?[file] != nil || !ResultFiles.added.contains(file))
        {
            throw failure("\(ResultFiles.originals)/\(file) is missing; restore it, or analyse the video again")
        }
        guard original.record.corrections == nil else {
            throw failure("its tables in '\(ResultFiles.originals)' are corrected ones; analyse the video again")
        }
        guard original.record.input == record.input else {
            throw failure(
                "its tables in '\(ResultFiles.originals)' are those of another video; analyse the video again")
        }
        return original
    }

    private func failure(_ reason: String) -> VidscanError { .result(reason, input: name) }

    /// Checks that the tables by which faces are hidden are unchanged: a missing or moved row could uncover a face.
    package func checkDigests(readsLandmarks: Bool) throws(VidscanError) {
        // Earlier versions wrote no record.
        let hasRecord = record.digests?[ResultFiles.record] != nil
        let files =
            ResultFiles.hiding + (readsLandmarks ? [LandmarkFile.name] : []) + (hasRecord ? [ResultFiles.record] : [])
        for file in files {
            guard let digest = record.digests?[file] else {
                throw failure(
                    "its run.json has no SHA-256 of \(file), so faces that are missing there would stay visible;"
                        + " analyse the video again")
            }
            guard try ResultFiles.digest(of: file, in: name) == digest else {
                throw failure(
                    "\(file) is not as vidscan wrote it, so faces may be missing there and would stay visible; restore it,"
                        + " or analyse the video again")
            }
        }
    }

    package func checkRecord() throws(VidscanError) {
        guard access("\(name)/\(ResultFiles.record)", F_OK) == 0, let digest = record.digests?[ResultFiles.record]
        else {
            throw failure("has no \(ResultFiles.record): an earlier version analysed the video; analyse it again")
        }
        guard try ResultFiles.digest(of: ResultFiles.record, in: name) == digest else {
            throw failure("\(ResultFiles.record) is not as vidscan wrote it; restore it, or analyse the video again")
        }
    }
}
