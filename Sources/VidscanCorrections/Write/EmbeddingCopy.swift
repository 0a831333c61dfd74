internal import VidscanBase
internal import VidscanResults

/// Copies `embeddings.npy`, whose rows are in the order of person_id, face_id and time.
enum EmbeddingCopy {
    /// - Returns: The number of rows.
    static func write(
        from source: String, to folder: String, _ tracks: CorrectedTracks
    ) throws(VidscanError) -> Int {
        let reader = try EmbeddingReader(folder: source)
        let output = try EmbeddingFile(folder: folder)
        var rows: [EmbeddingRow] = []
        while var row = try reader.next() {
            let time = Int64((row.seconds * 1e6).rounded())
            let frames = tracks.samples.frames(in: time...time)
            let match = frames.lazy.flatMap { tracks.samples.rows(ofFrame: $0) }.first {
                Int(tracks.samples.rows[$0].faceID) == row.faceID
            }
            guard let match else {
                throw VidscanError(
                    .result,
                    "\(EmbeddingFile.name) has face_id \(row.faceID) at \(TimeText.seconds(time)) s, which faces.csv does not"
                        + " have; the result is damaged, analyse the video again", stage: .open)
            }
            guard let part = tracks.part(ofRow: match) else { continue }
            row.faceID = tracks.parts[part].faceID
            row.personID = tracks.parts[part].personID
            rows.append(row)
        }
        rows.sort { ($0.personID, $0.faceID, $0.seconds) < ($1.personID, $1.faceID, $1.seconds) }
        for row in rows { try output.append(row) }
        try output.finish()
        return rows.count
    }
}
