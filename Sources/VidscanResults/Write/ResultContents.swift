package import VidscanBase

/// What would be lost with a result's folder: corrections, files that vidscan did not write, and edited ones.
package struct ResultContents: Sendable, Equatable {
    package let hasCorrections: Bool
    /// Sorted names of files that vidscan did not write, and of those that were changed since.
    private let (foreign, edited): ([String], [String])

    /// Returns `nil` if everything in the folder can be made again from the video.
    package init?(_ folder: Folder, kind: ResultFolder.Kind = .result) {
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
        // Digests are those of the tables before the corrections.
        let edited = hasCorrections ? [] : Self.edited(in: folder, record: kind.record)
        // What cannot be read may be worth keeping.
        guard names == nil || hasCorrections || !foreign.isEmpty || !edited.isEmpty else { return nil }
        self.hasCorrections = hasCorrections
        (self.foreign, self.edited) = (foreign.sorted(), edited.sorted())
    }

    /// For example `it has corrections, and a file that vidscan did not write (notes.txt)`.
    package var words: String {
        func list(_ names: [String], _ one: String, _ several: String) -> [String] {
            guard !names.isEmpty else { return [] }
            let shown = names.prefix(3).map(Printable.line).joined(separator: ", ") + (names.count > 3 ? ", …" : "")
            return ["\(names.count == 1 ? one : "\(names.count) \(several)") (\(shown))"]
        }
        let parts =
            (hasCorrections ? ["corrections"] : [])
            + list(foreign, "a file that vidscan did not write", "files that vidscan did not write")
            + list(edited, "a file that somebody has edited", "files that somebody has edited")
        guard !parts.isEmpty else { return "its files cannot be listed" }
        return "it has \(parts.joined(separator: ", and "))"
    }

    /// Tables whose digest differs from the one in `run.json`, and the video whose digest differs from the one in its record.
    private static func edited(in folder: Folder, record: String) -> [String] {
        struct Record: Decodable { let digests: [String: String]? }
        let digests = (try? RecordFile.decode(Record.self, folder: folder.path, name: record))?.digests ?? [:]
        struct Hiding: Decodable { let sha256: String? }
        let made = (try? RecordFile.decode(Hiding.self, folder: folder.path, name: "anonymized.json"))?.sha256
        let videos = made.map { sha256 in
            StoredResult.videosWithHiddenFaces(in: folder.path).map { (FilePath.name(of: $0), sha256) }
        }
        return (digests.map { ($0.key, $0.value) } + (videos ?? []))
            .filter { (try? ResultFiles.digest(of: $0.0, in: folder.path)) != $0.1 }.map(\.0)
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
