internal import Foundation
internal import VidscanBase
internal import VidscanFaces
internal import VidscanResults

/// Writes the files of a result with corrections.
struct CorrectedResult {
    /// The result as the analysis wrote it.
    let source: StoredResult
    let tracks: CorrectedTracks
    /// Returns the model that computes emotions and emojis, given the digests of those that analysed the video.
    let model: @Sendable ([String: String]) throws(VidscanError) -> ExpressionModel

    /// What the tables have; the last are the rows of `embeddings.npy`.
    typealias Counts = (outcome: TrackingOutcome, pass: OutputPass.Summary, embeddings: Int?)

    func writeTables(to folder: String) async throws -> Counts {
        let corrected = CorrectedOutcome(tracks)
        let (options, digests, model) = (tracks.samples.options, source.record.models, model)
        let hasEmbeddings = FolderContents.exists("\(source.name)/\(EmbeddingFile.name)")
        let writer = try ResultWriter(
            folderPath: folder, input: source.record.input.path, options: options, writesEmbeddings: hasEmbeddings)
        let record = try ResultRecordWriter(folderPath: folder, options, corrected.outcome)
        let pass = OutputPass(
            corrected.frames(of: source.name, isLeftOut: tracks.isExcluded), corrected.outcome, options: options
        ) { try model(digests) }
        let summary = try await pass.run(into: [writer, record])
        let rows = hasEmbeddings ? try embeddings() : nil
        if let rows { try writer.write(rows) }
        try writer.finish()
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
            row.faceID = tracks.parts[part].faceID
            row.personID = tracks.parts[part].personID
            rows.append(row)
        }
        return rows.sorted { ($0.personID, $0.faceID, $0.seconds) < ($1.personID, $1.faceID, $1.seconds) }
    }

    /// Returns `run.json` with the counts of the tables and the record of the corrections. `folder` is that of the
    /// unfinished result, with its tables.
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
        ] {
            old[key] = .integer(value)
        }
        members["counts"] = .object(old)
        if let rows = counts.embeddings, case .object(var embeddings) = members["embeddings"] ?? .null {
            embeddings["rows"] = .integer(rows)
            members["embeddings"] = .object(embeddings)
        }
        members["digests"] = .object(try ResultFiles.digests(in: folder).mapValues { .text($0) })
        do {
            members["corrections"] = try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(corrections))
        } catch {
            throw VidscanError(.output, "cannot write \(name): \(error.localizedDescription)", stage: .write)
        }
        return .object(members)
    }
}
