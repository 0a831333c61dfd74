internal import Foundation
internal import VidscanBase
internal import VidscanFaces
internal import VidscanResults

/// Writes the files of a result with corrections.
struct CorrectedResult {
    /// The folder with the files as the analysis wrote them.
    let source: String
    let tracks: CorrectedTracks
    /// The size of the frames, in pixels of the tables.
    let frameSize: PictureSize

    /// What the tables have, for `run.json`.
    struct Counts {
        var frames = 0
        var faces = 0
        var faceIDs = 0
        var personIDs = 0
        var events = 0
        var hardCuts = 0
        var gradualCuts = 0
        var embeddings: Int?
    }

    /// Writes all tables of the source.
    ///
    /// - Parameter folder: The folder of the unfinished result.
    func writeTables(to folder: String, _ cancellation: CancellationFlag) throws(VidscanError) -> Counts {
        let tallies = TrackTallies(tracks, frameSize: frameSize)
        var copies: [any FrameFileCopy] = [
            try FaceTableCopy(from: source, to: folder, tallies: tallies),
            try FrameTableCopy(from: source, to: folder),
        ]
        if has("faces.json") { copies.append(try JSONDocumentCopy(from: source, to: folder)) }
        if has("faces.jsonl") { copies.append(try JSONLinesCopy(from: source, to: folder)) }
        if has(LandmarkFile.name) { copies.append(try LandmarkCopy(from: source, to: folder)) }
        if has(ResultFiles.blendshapes) { copies.append(try BlendshapeCopy(from: source, to: folder)) }
        if has(OpenFaceTable.file) { copies.append(try OpenFaceCopy(from: source, to: folder)) }
        if has(PyFeatTable.file) { copies.append(try PyFeatCopy(from: source, to: folder)) }
        var counts = Counts()
        for number in tracks.samples.frames.indices {
            if number.isMultiple(of: 1000), cancellation.isSet { throw VidscanError(.interrupted, "interrupted") }
            let frame = CorrectedFrame(number, of: tracks)
            for copy in copies { try copy.copy(frame) }
            counts.frames += frame.isExcluded ? 0 : 1
            counts.faces += frame.faces.count
        }
        for copy in copies { try copy.finish() }
        let events = try CorrectedEvents(from: source, tracks)
        try events.write(to: folder)
        try TrackTableCopy(tracks: tracks, tallies: tallies, events: events).write(from: source, to: folder)
        if has(EmbeddingFile.name) { counts.embeddings = try EmbeddingCopy.write(from: source, to: folder, tracks) }
        let left = tracks.parts.indices.filter { !tracks.rows(ofPart: $0).isEmpty }
        counts.faceIDs = left.count
        counts.personIDs = Set(left.map { tracks.parts[$0].personID }).count
        counts.events = events.count
        counts.hardCuts = events.cuts(.hard)
        counts.gradualCuts = events.cuts(.gradual)
        return counts
    }

    private func has(_ name: String) -> Bool { FolderContents.exists("\(source)/\(name)") }

    /// Returns `run.json` with the counts of the tables and the record of the corrections.
    ///
    /// - Parameter folder: The folder of the unfinished result, with its tables.
    func record(
        _ counts: Counts, _ corrections: AppliedCorrections, tables folder: String
    ) throws(VidscanError) -> JSONValue {
        let name = ResultFolder.Kind.result.record
        guard
            case .object(var members) = try RecordFile.decode(JSONValue.self, folder: source, name: name),
            case .object(var old) = members["counts"] ?? .null
        else { throw VidscanError(.result, "its \(name) cannot be read: it has no counts", stage: .open) }
        for (key, value) in [
            ("sampled_frames", counts.frames), ("faces", counts.faces), ("face_ids", counts.faceIDs),
            ("person_ids", counts.personIDs), ("events", counts.events), ("hard_cuts", counts.hardCuts),
            ("gradual_cuts", counts.gradualCuts),
        ] {
            old[key] = .integer(value)
        }
        members["counts"] = .object(old)
        if let rows = counts.embeddings, case .object(var embeddings) = members["embeddings"] ?? .null {
            embeddings["rows"] = .integer(rows)
            members["embeddings"] = .object(embeddings)
        }
        members["digests"] = .object(try ResultFiles.digests(in: folder).mapValues { .text($0) })
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        do {
            members["corrections"] = try JSONDecoder().decode(JSONValue.self, from: try encoder.encode(corrections))
        } catch {
            throw VidscanError(.output, "cannot write \(name): \(error.localizedDescription)", stage: .write)
        }
        return .object(members)
    }
}
