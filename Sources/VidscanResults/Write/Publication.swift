internal import Foundation
package import VidscanBase
internal import VidscanMedia

/// A folder of videos to pass on, and a private one beside it, `FOLDER.private`, that says what each of them is.
///
/// A name follows from the path of the original and a random key in the private folder. So each original has the same
/// name in every run, on every shard and in any order, and a name tells nothing to those who lack the key.
package struct Publication: Sendable {
    private let folder, records, approver, key: String
    private let replaces: Bool

    /// Who has approved which version of a video, and when (UTC). Each version has a record of its own, which stays.
    private struct Record: Codable {
        let video, original, sha256, approvedBy, approvedAt: String
        /// Who stays visible on purpose.
        let visible: String?
        /// Why the video may show more than usual, as its record says.
        let weaknesses: [String]?
        var verified = false
        /// Whether the file was there. If it is not there any more, somebody has withdrawn it.
        var appeared: Bool?
    }

    /// Somebody has removed a version from the folder, where it stays away.
    package struct Withdrawal: Error { package let video: String }

    /// Creates the folders. `approver`: `nil` is the user. Throws if the private folder lies in the published one, and
    /// before it creates anything if one of the `sources` does: results, originals, or folders of them.
    package init(folder: String, approver: String?, replaces: Bool, sources: [String]) throws(VidscanError) {
        let path = FilePath.absolute(FilePath.expandingHome(folder))
        for source in sources where Self.contains(FilePath.resolved(path), source) {
            throw VidscanError(.input, "cannot publish to \(path): \(source) lies in it; name another folder")
        }
        self.approver = approver ?? ProcessInfo.processInfo.environment["USER"] ?? ""
        guard self.approver.contains(where: { !$0.isWhitespace }) else {
            throw VidscanError(.input, "name who approves the videos: --approved-by")
        }
        let published = ((try? FileSystem.names(in: path)) ?? []).contains { $0.starts(with: "video-".utf8) }
        if published, FileSystem.entry(path + ".private/key") == nil {
            throw VidscanError(
                .input,
                "\(path) has published videos, and their key, \(path).private/key, is missing; bring that folder back")
        }
        do throws(SystemError) {
            for path in [path, path + ".private"] { try FileSystem.createFolder(path) }
        } catch { throw VidscanError(.input, "cannot create the folder \(path): \(error)") }
        (self.folder, records) = (FilePath.resolved(path), FilePath.resolved(path + ".private"))
        self.replaces = replaces
        guard !Self.contains(self.folder, records), chmod(records, 0o700) == 0 else {
            throw VidscanError(.input, "\(path).private cannot be kept private: it leads to \(records)")
        }
        key = try Self.key(records + "/key")
    }

    private static func contains(_ folder: String, _ path: String) -> Bool {
        FilePath.joining(FilePath.resolved(path), "").utf8.starts(with: FilePath.joining(folder, "").utf8)
    }

    /// The first of several processes makes the key; the others read it.
    private static func key(_ path: String) throws(VidscanError) -> String {
        let words = (0..<4).map { _ in NumberText.hexadecimal(UInt64.random(in: .min ... .max), digits: 16) }
        do { try AtomicFile.write(words.joined(), to: path, replaces: false) } catch  where error.code == .exists {}
        let key = try TextFile.text(named: path, limit: 64)
        guard key.utf8.count == 64 else { throw VidscanError(.input, "\(path) is not a key of published videos") }
        return key
    }

    /// `video-0123456789`
    package func name(ofOriginal path: String) -> String {
        let digest = FileDigest.sha256(text: "\(key)\n\(path)").prefix(15)
        return "video-" + String(String((UInt64(digest, radix: 16) ?? 0) + 10_000_000_000).suffix(10))
    }

    /// The path of the published copy of a result's video, whichever version it is; `nil` if there is none.
    package func copy(of result: Folder) -> String? {
        guard let number = (try? Self.record(of: result)).map({ name(ofOriginal: $0.input.path) }) else { return nil }
        return ResultFiles.mediaEndings.map { "\(folder)/\(number).\($0)" }.first { FileSystem.entry($0) != nil }
    }

    private static func record(of result: Folder) throws(VidscanError) -> RunRecord {
        try RecordFile.decode(RunRecord.self, folder: result.path, name: ResultFolder.Kind.result.record)
    }

    /// Copies the video of a result in which all faces are hidden. Returns its name, and who stays visible on purpose;
    /// `nil` if it is there already. Another version is an error, unless the publication replaces it. An earlier approval
    /// of the same bytes stands. Throws `changed` if the video is not the one that vidscan made with the current
    /// covers and corrections, and ``Withdrawal`` if somebody has removed this version from the folder.
    ///
    /// - Parameters:
    ///   - covers: the path of the result's covers.
    ///   - verify: throws if the video at the path must not be published; `nil` for no check.
    package func publish(
        _ result: Folder, covers: String?, verify: ((_ path: String) async throws -> Void)?
    ) async throws -> (name: String, visible: String?)? {
        let (run, videos) = (try Self.record(of: result), StoredResult.videosWithHiddenFaces(in: result.path))
        let (original, source) = (run.input.path, videos.first ?? "")
        try require(!Self.contains(folder, result.path), .result, "it lies in \(folder); name another folder")
        try require(!Self.contains(folder, original), .result, "its original lies in \(folder); name another folder")
        for file in (try? FileSystem.names(in: records)) ?? []
        where file.starts(with: "\(name(ofOriginal: original))-".utf8) {
            let known = try RecordFile.decode(Record.self, folder: records, name: String(decoding: file, as: UTF8.self))
            try require(known.original == original, .exists, "\(known.original) has its number; name another folder")
        }
        let (count, video) = (videos.isEmpty ? "no video" : "several videos", FilePath.name(of: source))
        try require(videos.count == 1, .result, "it has \(count) with hidden faces")
        try require(result.entry(video) == .file, .result, "its \(video) is not a regular file")
        guard let hiding = try HiddenVideoRecord.read("\(result.path)/anonymized.json") else {
            throw VidscanError.result("its \(video) has no record")
        }
        try require(hiding.invert == false, .result, "its \(video) shows the faces")
        let (number, sha256) = (name(ofOriginal: original), try FileDigest.sha256(path: source))
        try require(
            hiding.sha256 == sha256, .changed, "its \(video) is not the video whose SHA-256 anonymized.json has")
        let drawn = try covers.map { path throws(VidscanError) in try CoverFile(path: path) }
        let made = drawn.map { JSONValue.text($0.sha256) }
        try require(hiding.covers?["sha256"] == made, .changed, "its covers have changed since its video was made")
        // If nobody is kept, corrections change nothing in the video.
        let isCorrected = hiding.visible != nil && hiding.corrections != run.corrections?.sha256
        try require(!isCorrected, .changed, "its corrections have changed since its video was made")
        let name = "\(number).\(FilePath.fileExtension(of: source))"
        let (path, recordName) = ("\(folder)/\(name)", "\(number)-\(sha256.prefix(16)).json")
        let isPublished = try FileSystem.entry(path) == .file && FileDigest.sha256(path: path) == sha256
        let others = ResultFiles.mediaEndings.map { "\(folder)/\(number).\($0)" }.filter {
            !($0 == path && isPublished) && FileSystem.entry($0, followsLinks: false) != nil
        }
        for other in others {
            try require(replaces, .exists, "\(other) is another version of it; remove it, or replace it with --force")
            guard other != path else { continue }
            let record = "\(records)/\(number)-\(try FileDigest.sha256(path: other).prefix(16)).json"
            let isVersion = FileSystem.entry(record) != nil
            try require(isVersion, .exists, "\(other) has its name, and is not a version of it; remove it")
        }
        var record =
            FileSystem.entry("\(records)/\(recordName)") != nil
            ? try RecordFile.decode(Record.self, folder: records, name: recordName)
            : Record(
                video: name, original: original, sha256: sha256, approvedBy: approver,
                approvedAt: Date().formatted(.iso8601), visible: Self.visible(hiding.visible, drawn),
                weaknesses: hiding.weaknesses)
        guard isPublished || replaces || record.appeared != true else { throw Withdrawal(video: name) }
        guard !isPublished || verify != nil && !record.verified else {
            try keep(record, recordName)
            return nil
        }
        if let verify, !record.verified {
            try await verify(source)
            record.verified = true
        }
        let file = try AtomicFile(path: path, replaces: replaces || isPublished)
        try FileSystem.copy(source, to: file.descriptor)
        // Times would tell in which order the originals were published: by their names.
        let day = timespec(tv_sec: time(nil) / 86_400 * 86_400, tv_nsec: 0)
        _ = try VidscanError.writing(
            "cannot set the time of \(name)", try SystemError.check(futimens(file.descriptor, [day, day])))
        guard try FileDigest.sha256(path: file.writingPath) == sha256 else {
            throw VidscanError(.changed, "its video changed while it was being published", stage: .write)
        }
        // A copy that nothing records must not appear.
        record.appeared = isPublished
        try AtomicFile.write(try RecordFile.text(record, name: recordName), to: "\(records)/\(recordName)")
        try file.complete()
        for other in others where other != path { try? Folder(folder).remove(FilePath.name(of: other)) }
        try keep(record, recordName)
        return (name, record.visible)
    }

    /// `people 2, 5; faces 7; released covers 1`
    private static func visible(_ who: HiddenVideoRecord.Visible?, _ covers: CoverFile?) -> String? {
        let released = (covers?.regions ?? []).enumerated().filter { $1.what == nil }.map { $0.offset + 1 }
        let lists = [
            ("people", who?.keptPersonIds), ("everybody except people", who?.hiddenPersonIds),
            ("faces", who?.keptFaceIds), ("released covers", released),
        ].filter { $1?.isEmpty == false }.map { "\($0) \(($1 ?? []).map(String.init).joined(separator: ", "))" }
        return lists.isEmpty ? who.map { _ in "somebody" } : lists.joined(separator: "; ")
    }

    /// Records that the file is there.
    private func keep(_ record: Record, _ name: String) throws {
        guard record.appeared != true else { return }
        var record = record
        record.appeared = true
        try AtomicFile.write(try RecordFile.text(record, name: name), to: "\(records)/\(name)")
    }
}
