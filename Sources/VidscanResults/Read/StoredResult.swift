internal import Foundation
package import VidscanBase

package struct StoredResult {
    /// As the user wrote it.
    package let name: String
    package let record: RunRecord

    /// Throws without `run.json` and, unless `needsTables` is false, without tables.
    package init(path: String, needsTables: Bool = true) throws(VidscanError) {
        name = path
        for folder in [path, FilePath.folder(of: FilePath.absolute(path))].compactMap({ try? Folder($0) }) {
            WorkingItem.removeLeftovers(in: folder)
        }
        try require(ResultFinder.isResult(path), .result, "is not a vidscan result: it has no run.json", input: path)
        do throws(VidscanError) {
            record = try RecordFile.decode(RunRecord.self, folder: path, name: "run.json")
            try record.check()
        } catch { throw .result(error.reason, input: path) }
        for table in ["faces.csv", "frames.csv", "events.csv"]
        where needsTables && !FileManager.default.isReadableFile(atPath: path + "/" + table) {
            throw .result(
                record.pipeline.write?.tables == false
                    ? "has no \(table), because --anonymize alone keeps no tables; analyse the video again with --tables"
                    : "has no \(table); analyse the video with --format csv", input: path)
        }
    }

    /// Finds the video from which the result was made, at `override` if given. `acceptsChanges` allows another size or
    /// modification time; `acceptsCopies` allows another modification time at `override`.
    package func source(
        override: String?, acceptsChanges: Bool, acceptsCopies: Bool = true
    ) throws(VidscanError) -> InputFile {
        let path = override ?? record.input.path
        let file: InputFile
        do { file = try InputFile(path) } catch {
            let hint = override == nil ? "; if it has moved, name it with --input" : ""
            throw VidscanError(error.code, "its video \(path): \(error.reason)\(hint)", input: name, stage: .open)
        }
        // A copy may have another modification time.
        let isSameDate = (override != nil && acceptsCopies) || abs(file.modified - record.input.modified) < 1e-3
        let isSameSize = file.bytes == record.input.bytes
        try require(
            acceptsChanges || isSameSize && isSameDate, .changed,
            "the video \(path) has changed since it was analysed (its \(isSameSize ? "date" : "size")); analyse it"
                + " again" + (acceptsCopies ? ", or accept it with --changed-source" : ""), input: name, stage: .open)
        return file
    }

    /// Whether a video in which faces are hidden was made from this result.
    package var hidesFaces: Bool { record.pipeline.render?.anonymize != nil || videoWithHiddenFaces != nil }

    /// Also finds a picture in which faces are hidden.
    package var videoWithHiddenFaces: String? { Self.videosWithHiddenFaces(in: name).first }

    /// Works for any folder, also of a result without tables.
    package static func videosWithHiddenFaces(in folder: String) -> [String] {
        ResultFiles.mediaEndings.map { "\(folder)/anonymized.\($0)" }
            .filter { FileManager.default.fileExists(atPath: $0) }
    }

    /// The record of the video with hidden faces; `nil` if it is missing, unreadable, or may belong to another video.
    package var hiding: (isInverted: Bool, keepsNobody: Bool)? {
        guard Self.videosWithHiddenFaces(in: name).count < 2,
            let record = try? HiddenVideoRecord.read("\(name)/anonymized.json"), let isInverted = record.invert
        else { return nil }
        return (isInverted, record.visible == nil)
    }

    /// The one with hidden faces. Earlier versions gave the same name to a video with visible faces.
    package var videoForPages: String? { hiding?.isInverted == true ? nil : videoWithHiddenFaces }

    package var hasMapToSource: Bool { record.filters.map { $0.toSource != nil } ?? true }

    /// Returns the map from positions in the tables to the video's; `nil` if no filter moved them. Throws if unknown.
    package func mapToSource() throws(VidscanError) -> VidscanBase.AffineTransform? {
        guard let filters = record.filters else { return nil }
        guard let map = filters.toSource else {
            throw failure(
                "was analysed with filters that move frames or what they show in unknown ways: \(filters.chain)")
        }
        return map == .identity ? nil : map
    }

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
        try require(
            [nil, .folder].contains(entry(folder)), .result,
            "its '\(ResultFiles.originals)' is not a folder, so its tables before the corrections cannot be read;"
                + " analyse the video again", input: name)
        let original: StoredResult
        do throws(VidscanError) { original = try StoredResult(path: folder) } catch {
            throw failure(
                "its tables before the corrections cannot be read: \(ResultFiles.originals): \(error.reason); analyse the"
                    + " video again")
        }
        for file in ResultFiles.corrected
        where entry("\(name)/\(file)") != nil && entry("\(folder)/\(file)") == nil
            && (original.record.digests?[file] != nil || !ResultFiles.added.contains(file))
        { throw failure("\(ResultFiles.originals)/\(file) is missing; restore it, or analyse the video again") }
        guard original.record.corrections == nil else {
            throw failure("its tables in '\(ResultFiles.originals)' are corrected ones; analyse the video again")
        }
        try require(
            original.record.input == record.input, .result,
            "its tables in '\(ResultFiles.originals)' are those of another video; analyse the video again", input: name)
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
                        + " analyse the video again\(file == LandmarkFile.name ? " with --landmarks" : "")")
            }
            guard try ResultFiles.digest(of: file, in: name) == digest else {
                throw failure(
                    "\(file) is not as vidscan wrote it, so faces may be missing there and would stay visible; restore it,"
                        + " or analyse the video again")
            }
        }
    }

    package func checkRecord() throws(VidscanError) {
        guard FileSystem.entry("\(name)/\(ResultFiles.record)") != nil, let digest = record.digests?[ResultFiles.record]
        else { throw failure("has no \(ResultFiles.record): an earlier version analysed the video; analyse it again") }
        guard try ResultFiles.digest(of: ResultFiles.record, in: name) == digest else {
            throw failure("\(ResultFiles.record) is not as vidscan wrote it; restore it, or analyse the video again")
        }
    }
}

/// Finds results by path, or at any depth below a folder. Ignores hidden folders, because unfinished results have
/// hidden names, and results that were set aside. Does not follow symbolic links to folders, which could form a cycle.
package enum ResultFinder {
    /// Returns the sorted absolute paths of results at or below `path`, at least one. `withPrevious`: also old, nested, linked.
    package static func find(_ path: String, withPrevious: Bool = false) throws(VidscanError) -> [String] {
        let named = FilePath.absolute(FilePath.expandingHome(path))
        let root = withPrevious ? FilePath.resolved(named) : named
        var (results, pending): ([String], [String]) = ([], [root])
        if isResult(root) {
            let names = (withPrevious ? try? FileSystem.names(in: FilePath.folder(of: root)) : nil) ?? []
            let siblings = names.map { FilePath.sibling(of: root, named: String(decoding: $0, as: UTF8.self)) }
            results = [root] + siblings.filter { $0.hasPrefix(root + ResultPaths.previousEnding) && isResult($0) }
            pending = withPrevious ? results : []
        }
        while let folder = pending.popLast() {
            let place = folder == root ? "" : " \(folder)"
            let names = try VidscanError.reading(
                "cannot read the folder\(place)", input: path, try FileSystem.names(in: folder))
            for bytes in names where bytes.first != UInt8(ascii: ".") {
                // No table can name a result whose name is not text.
                guard let name = String(validating: bytes, as: UTF8.self), withPrevious || !ResultPaths.isPrevious(name)
                else { continue }
                let inner = FilePath.joining(folder, name)
                let isFolder = FileSystem.entry(inner, followsLinks: false) == .folder
                let isInner = isFolder || withPrevious && name != ResultFiles.originals ? isResult(inner) : false
                if isInner { results.append(inner) }
                // A result can contain others, made from its videos.
                if isFolder, withPrevious ? name != ResultFiles.originals : !isInner { pending.append(inner) }
            }
        }
        guard !results.isEmpty else {
            throw .result("is not a vidscan result and contains none: there is no run.json", input: path)
        }
        return results.sorted { PathBytes($0) < PathBytes($1) }
    }

    package static func isResult(_ folder: String) -> Bool { FileSystem.entry(folder + "/run.json") != nil }
}
