package import VidscanBase

/// What would be lost with a result's folder: corrections, files that the analysis did not write, and edited ones.
package struct ResultContents: Sendable, Equatable {
    package let hasCorrections: Bool
    /// Sorted names of files that the analysis did not write, and of those that were changed since.
    private let (foreign, edited): ([String], [String])
    private let otherVideo: String?

    /// Returns `nil` if everything in the folder can be made again from the video. `new`: the result that is to replace it.
    package init?(_ folder: Folder, kind: ResultFolder.Kind = .result, new: Folder? = nil) {
        var (hasCorrections, foreign) = (false, [String]())
        let names = try? folder.names()
        for bytes in names ?? [] {
            let name = String(decoding: bytes, as: UTF8.self)
            if name == ResultFiles.originals || name == ResultFiles.corrections {
                hasCorrections = true
            } else if WorkingName(bytes) == nil, !Self.isWritten(name, kind: kind) || folder.entry(name) != .file {
                foreign.append(name)
            }
        }
        let edited = Self.edited(in: folder, record: kind.record)
        // What cannot be read may be worth keeping.
        otherVideo = Self.video(of: folder, unlike: new, record: kind.record)
        guard names == nil || hasCorrections || !foreign.isEmpty || !edited.isEmpty || otherVideo != nil else {
            return nil
        }
        self.hasCorrections = hasCorrections
        (self.foreign, self.edited) = (foreign.sorted(), edited.sorted())
    }

    /// For example `it has corrections, and a file that the analysis did not write (notes.txt)`.
    package var words: String {
        func list(_ names: [String], _ one: String, _ several: String) -> [String] {
            guard !names.isEmpty else { return [] }
            let shown = names.prefix(3).map(Printable.line).joined(separator: ", ") + (names.count > 3 ? ", …" : "")
            return ["\(names.count == 1 ? one : "\(names.count) \(several)") (\(shown))"]
        }
        let parts =
            (hasCorrections ? ["corrections"] : [])
            + list(foreign, "a file that the analysis did not write", "files that the analysis did not write")
            + list(edited, "a file that somebody has edited", "files that somebody has edited")
        if let otherVideo { return "it is that of \(otherVideo)" }
        guard !parts.isEmpty else { return "its files cannot be listed" }
        return "it has \(parts.joined(separator: ", and "))"
    }

    /// The video of a result, if it still exists and is not that of the new one.
    private static func video(of folder: Folder, unlike new: Folder?, record: String) -> String? {
        struct Record: Decodable {
            struct Input: Decodable { let path: String }
            struct Part: Decodable { let input: Input }
            let input: Input?
            let part: Part?
        }
        let paths = [folder, new].compactMap { folder in
            let found = folder.flatMap { try? RecordFile.decode(Record.self, folder: $0.path, name: record) }
            return (found?.input ?? found?.part?.input)?.path
        }
        guard paths.count == 2, FilePath.resolved(paths[0]) != FilePath.resolved(paths[1]) else { return nil }
        return FileSystem.entry(paths[0]) == nil ? nil : paths[0]
    }

    /// Tables whose digest differs from the one in `run.json`, and the video whose digest differs from the one in its record.
    package static func edited(in folder: Folder, record: String) -> [String] {
        struct Record: Decodable { let digests: [String: String]? }
        let stored = try? RecordFile.decode(Record.self, folder: folder.path, name: record)
        guard stored != nil || folder.entry(record) == nil else { return [record] }
        let digests = stored?.digests ?? [:]
        let videos = (try? HiddenVideoRecord.read("\(folder.path)/anonymized.json"))?.sha256.map { sha256 in
            StoredResult.videosWithHiddenFaces(in: folder.path).map { (FilePath.name(of: $0), sha256) }
        }
        return (digests.map { ($0.key, $0.value) } + (videos ?? []))
            .filter { (try? ResultFiles.digest(of: $0.0, in: folder.path)) != $0.1 }.map(\.0)
    }

    /// Throws if a path is that of a file that `vidscan analyze` and other commands keep in a result.
    package static func refuseFile(_ path: String) throws(VidscanError) {
        try require(
            !isWritten(FilePath.name(of: path), kind: .result)
                || !ResultFinder.isResult(FilePath.folder(of: FilePath.absolute(path))), .exists,
            "\(path) is a file of a result, and is not replaced; name another file", stage: .open)
    }

    static func isWritten(_ name: String, kind: ResultFolder.Kind) -> Bool {
        switch kind {
        case .segment: [kind.record, ResultFiles.record].contains(name)
        case .result:
            ResultFiles.corrected.contains(name) || name == ResultFiles.originals || rendered.contains(name)
                || [ResultFiles.dyads, "report.html"].contains(name)
                || rendered.contains { name == "\($0).verify.html" }
        }
    }

    /// Videos and pictures made from a result, and their records.
    private static let rendered: Set<String> = {
        let endings = ResultFiles.mediaEndings + ["json"]
        return Set(["overlay", "anonymized", "inverted", "proxy"].flatMap { name in endings.map { "\(name).\($0)" } })
    }()
}
