internal import Foundation
internal import VidscanBase
internal import VidscanFaces
internal import VidscanResults

struct CorrectedResult {
    let source: StoredResult
    let tracks: CorrectedTracks
    /// Returns the model that computes emotions and emojis, given the digests of those that analysed the video.
    let model: RecordedModel

    /// What the tables have; the last are the rows of `embeddings.npy`.
    typealias Counts = (outcome: TrackingOutcome, pass: OutputPass.Summary, embeddings: Int?)

    func writeTables(to folder: String) async throws -> Counts {
        let corrected = CorrectedOutcome(tracks)
        let (options, digests, model) = (tracks.samples.options, source.record.models, model)
        let hasEmbeddings = FolderContents.exists("\(source.name)/\(EmbeddingFile.name)")
        let writer = try ResultWriter(
            folderPath: folder, input: source.record.input.path, options: options, writesEmbeddings: hasEmbeddings)
        let record = try ResultRecordWriter(folderPath: folder, options, corrected.outcome)
        let summary = try await OutputPass.run(
            corrected.frames(of: source.name, isLeftOut: tracks.isExcluded), corrected.outcome, options: options,
            into: [writer, record]
        ) { try model(digests) }
        let rows = hasEmbeddings ? try embeddings() : nil
        try writer.finish(quality: summary.quality, embeddings: rows ?? [])
        return (corrected.outcome, summary, rows?.count)
    }

    private func embeddings() throws(VidscanError) -> [EmbeddingRow] {
        let reader = try EmbeddingReader(folder: source.name)
        let samples = tracks.samples
        var rows: [EmbeddingRow] = []
        while var row = try reader.next() {
            let time = Int64((row.seconds * 1e6).rounded())
            let match = samples.frames(in: time...time).lazy.flatMap { samples.rows(ofFrame: $0) }.first {
                samples.faceID(ofRow: $0) == row.faceID
            }
            guard let match else {
                throw .result(
                    "\(EmbeddingFile.name) has face_id \(row.faceID) at \(TimeText.seconds(time)) s, which was not found"
                        + " there; the result is damaged, analyse the video again")
            }
            guard let part = tracks.part(ofRow: match) else { continue }
            (row.faceID, row.personID) = (tracks.parts[part].faceID, tracks.parts[part].personID)
            rows.append(row)
        }
        return rows.sorted { ($0.personID, $0.faceID, $0.seconds) < ($1.personID, $1.faceID, $1.seconds) }
    }

    /// Returns `run.json` with the tables' counts and the record of the corrections. `folder`: the unfinished result's.
    func record(_ counts: Counts, _ corrections: AppliedCorrections, tables folder: String) throws(VidscanError)
        -> JSONValue
    {
        let name = ResultFolder.Kind.result.record
        guard case .object(var members) = try RecordFile.decode(JSONValue.self, folder: source.name, name: name),
            case .object(var old) = members["counts"] ?? .null
        else { throw .result("its \(name) cannot be read: it has no counts") }
        for (key, value) in [
            ("sampled_frames", counts.outcome.sampleCount), ("faces", counts.pass.faces),
            ("face_ids", counts.pass.faceIDs), ("person_ids", counts.pass.personIDs), ("events", counts.pass.events),
            ("hard_cuts", counts.outcome.changes.count { $0.kind == .hard }),
            ("gradual_cuts", counts.outcome.changes.count { $0.kind == .gradual }),
        ] { old[key] = .integer(value) }
        members["counts"] = .object(old)
        if let rows = counts.embeddings, case .object(var embeddings) = members["embeddings"] ?? .null {
            embeddings["rows"] = .integer(rows)
            members["embeddings"] = .object(embeddings)
        }
        members["digests"] = .object(try ResultFiles.digests(in: folder).mapValues { .text($0) })
        do {
            members["corrections"] = try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(corrections))
        } catch { throw VidscanError(.output, "cannot write \(name): \(error.localizedDescription)", stage: .write) }
        return .object(members)
    }
}

/// Copies files into a folder that replaces another one.
enum FolderContents {
    /// The sorted names of a folder's entries, without temporary files.
    static func names(_ folder: String) throws(VidscanError) -> [String] {
        var names: [String] = []
        for bytes in try VidscanError.reading("cannot read the folder \(folder)", try FileSystem.names(in: folder)) {
            guard let name = String(validating: bytes, as: UTF8.self) else {
                throw .result("\(folder) has a file whose name is not valid UTF-8; rename it")
            }
            if WorkingName(bytes) == nil { names.append(name) }
        }
        return names.sorted()
    }

    static func exists(_ path: String) -> Bool { FileSystem.entry(path, followsLinks: false) != nil }

    /// Takes over a file, a link or a folder with all that is in it. Files are linked, so that they take no time and no
    /// space, or copied if the file system has no links.
    static func take(_ path: String, to newPath: String) throws(VidscanError) {
        switch FileSystem.entry(path, followsLinks: false) {
        case nil: throw .writing("cannot read \(path)", .current)
        case .file: if link(path, newPath) != 0 { try copy(path, to: newPath) }
        case .folder:
            try makeFolder(newPath)
            for name in try names(path) { try take(FilePath.joining(path, name), to: FilePath.joining(newPath, name)) }
        case .link:
            do {
                let target = try FileManager.default.destinationOfSymbolicLink(atPath: path)
                try FileManager.default.createSymbolicLink(atPath: newPath, withDestinationPath: target)
            } catch { throw VidscanError(.output, "cannot copy the link \(path)", stage: .write) }
        case .other:
            throw VidscanError(
                .output, "\(path) is neither a file nor a folder; move it out of the result", stage: .write)
        }
    }

    static func copy(_ path: String, to newPath: String) throws(VidscanError) {
        do { try FileManager.default.copyItem(atPath: path, toPath: newPath) } catch {
            throw VidscanError(
                .output, "cannot copy \(path) to \(newPath): \(error.localizedDescription)", stage: .write)
        }
        let descriptor = open(newPath, O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        guard descriptor >= 0, fsync(descriptor) == 0 else { throw .writing("cannot write \(newPath)", .current) }
    }

    static func makeFolder(_ path: String) throws(VidscanError) {
        guard mkdir(path, 0o755) == 0 else { throw .writing("cannot create the folder \(path)", .current) }
    }

    /// Lets one process at a time change a result, while the folder that is returned lives. Throws if another one does.
    static func lock(_ result: String) throws(VidscanError) -> Folder {
        let folder = try VidscanError.reading("cannot open the folder", input: result, try Folder(result))
        try require(
            folder.lock(), .output, "another 'vidscan apply' is correcting it; wait until it has finished",
            input: result, stage: .write)
        return folder
    }
}
