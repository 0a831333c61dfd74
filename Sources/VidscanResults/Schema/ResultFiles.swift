package import VidscanBase
internal import VidscanMedia

/// A file format for face rows.
public enum OutputFormat: String, Sendable, CaseIterable, Codable {
    case csv
    /// `faces.json`, one document; `faces.jsonl`, one object per line.
    case json, jsonl
    /// `openface.csv`, with OpenFace's columns; `pyfeat.csv`, with Py-Feat's columns.
    case openface, pyfeat

    /// Whether the format needs the mesh and the expressions of every face.
    package var needsMeshes: Bool { foreignTable() != nil }

    /// `blanks`: those of `openface.csv`, by default 0.
    package func foreignTable(_ blanks: OpenFaceBlanks? = nil) -> ForeignTable? {
        switch self {
        case .csv, .json, .jsonl: nil
        case .openface: .openFace(blanks ?? .zero)
        case .pyfeat: .pyFeat
        }
    }
}

/// The files of a result that an analysis writes and corrections change.
package enum ResultFiles {
    package static let corrected = [
        ResultFolder.Kind.result.record, record, "faces.csv", "frames.csv", "tracks.csv", "events.csv",
        EpisodeTable.file, QualityTable.file, "faces.json", "faces.jsonl", LandmarkFile.name, blendshapes,
        ForeignTable.openFace.file, ForeignTable.pyFeat.file, EmbeddingFile.name,
    ]

    /// Those of them that results of earlier versions lack, and corrections add.
    static let added: Set = [EpisodeTable.file, QualityTable.file]

    /// What was measured and who was found, from which the tables follow.
    package static let record = "faces.record"
    package static let blendshapes = "blendshapes.csv"
    package static let dyads = "dyads.csv"

    /// Of videos and pictures that are made from a result.
    static let mediaEndings = VideoContainer.allCases.map(\.rawValue) + PictureFormat.allCases.map(\.rawValue)

    /// The folder in a corrected result that keeps these files as the analysis wrote them.
    package static let originals = "original"
    /// In the folder of the originals, and in a result that replaced a corrected one.
    package static let corrections = "corrections.json"

    /// The tables by which faces are hidden.
    static let hiding = ["faces.csv", "frames.csv", "tracks.csv", "events.csv"]

    /// Returns the SHA-256 of the files that people may edit, for `run.json`.
    package static func digests(in folder: String) throws(VidscanError) -> [String: String] {
        var digests: [String: String] = [:]
        // Nothing may remain of embeddings that are forgotten.
        for file in corrected where ![ResultFolder.Kind.result.record, EmbeddingFile.name].contains(file) {
            if FileSystem.entry("\(folder)/\(file)") != nil { digests[file] = try digest(of: file, in: folder) }
        }
        return digests
    }

    static func digest(of file: String, in folder: String) throws(VidscanError) -> String {
        do { return try FileDigest.sha256(path: "\(folder)/\(file)") } catch {
            throw error.code == .cancelled
                ? VidscanError(.interrupted, error.reason) : .result(error.reason, input: folder)
        }
    }
}

/// Files that can identify people even if their faces are hidden: all that are not known to be harmless.
package enum IdentifyingFiles {
    /// `run.json` is named for another reason.
    private static let harmless = Set(
        ResultFiles.mediaEndings.flatMap { ["anonymized." + $0, "anonymized.\($0).json"] }
            + ["anonymized.json", "frames.csv", ResultFolder.Kind.result.record])

    /// Allow recognising the people in other videos.
    private static let ofPeople = [EmbeddingFile.name, "\(ResultFiles.originals)/\(EmbeddingFile.name)"]

    private static let maximumNames = 20

    package static let advice = "pass on only the anonymized video or picture"

    /// Returns one sentence. `expected` files do not exist yet; `keepsTables` says whether existing files will stay.
    package static func notice(
        in folder: String, expected: [String] = [], keepsTables: Bool = true, isInverted: Bool = false
    ) -> String {
        if isInverted { return "only what surrounds the faces is hidden: the faces are visible" }
        let present = keepsTables ? (try? FileSystem.names(in: folder)) ?? [] : []
        let names = Set(present.map { String(decoding: $0, as: UTF8.self) } + expected)
        let ofFaces = names.subtracting(harmless).subtracting(ofPeople).filter { !$0.hasPrefix(".") }.sorted()
        let ofPeople = ofPeople.filter { keepsTables && FileSystem.entry("\(folder)/\($0)") != nil }
        var files = ""
        if !ofFaces.isEmpty {
            let more = ofFaces.count > maximumNames ? " and \(ofFaces.count - maximumNames) more" : ""
            let list = ofFaces.prefix(maximumNames).map(Printable.line).joined(separator: ", ")
            files += "\(list)\(more) may still describe or show the people in it, "
        }
        if !ofPeople.isEmpty {
            files += "\(ofPeople.joined(separator: ", ")) has the biometric data by which they can be recognised, "
        }
        return "\(advice): beside it, \(files.isEmpty ? "" : files + "and ")run.json has the path of the original"
    }
}
