package import VidscanBase
package import VidscanFaces

/// Writes the tables of a run, frame by frame, in time order.
package final class ResultWriter: RowConsumer {
    private let faces, frames, tracks, events, episodes, quality, blendshapes: OutputFile?
    private let json, jsonLines: OutputFile?
    private let landmarks: LandmarkFile?
    private let embeddings: EmbeddingFile?
    private let foreign: [(table: ForeignTable, file: OutputFile)]
    private let input: String
    private var hasJSONFrame = false

    /// `input` is the path of the video. Embeddings are biometric data.
    package init(
        folderPath: String, input: String, options: OutputOptions, writesEmbeddings: Bool
    ) throws(VidscanError) {
        func file(_ name: String) throws(VidscanError) -> OutputFile { try OutputFile(path: "\(folderPath)/\(name)") }
        func csv(_ name: String, _ columns: [String]) throws(VidscanError) -> OutputFile {
            let file = try file(name)
            try file.write { $0.writeCSV(row: columns.map(Field.text)) }
            return file
        }
        let (formats, hasCSV) = (options.formats, options.formats.contains(.csv))
        faces = hasCSV ? try csv("faces.csv", FaceTable.names) : nil
        frames = hasCSV ? try csv("frames.csv", FrameTable.columns.map(\.name)) : nil
        tracks = hasCSV ? try csv("tracks.csv", TrackTable.columns.map(\.name)) : nil
        events = hasCSV ? try csv("events.csv", EventTable.columns.map(\.name)) : nil
        episodes = hasCSV ? try csv(EpisodeTable.file, EpisodeTable.columns.map(\.name)) : nil
        quality = hasCSV ? try csv(QualityTable.file, QualityTable.columns.map(\.name)) : nil
        json = formats.contains(.json) ? try file("faces.json") : nil
        jsonLines = formats.contains(.jsonl) ? try file("faces.jsonl") : nil
        landmarks = options.hasLandmarks ? try LandmarkFile(folder: folderPath) : nil
        embeddings = writesEmbeddings ? try EmbeddingFile(folder: folderPath) : nil
        blendshapes = try options.blendshapeNames.map { names throws(VidscanError) in
            try csv(ResultFiles.blendshapes, ["time", "frame", "face_id"] + names)
        }
        foreign = try formats.compactMap { $0.foreignTable(options.openFaceBlanks) }.map { table throws(VidscanError) in
            (table, try csv(table.file, table.names))
        }
        self.input = input
        try json?.write { $0.write("{\"frames\":[") }
    }

    package func tracked(_ result: FrameRecord, shot: Int, rows: [FaceRow]) throws(VidscanError) {
        let frame = FrameRow(frame: result, shot: shot, faces: rows.count)
        let fields = rows.map { FaceTable.fields(of: $0) }
        try frames?.write { $0.writeCSV(row: FrameTable.fields(of: frame)) }
        for (row, fields) in zip(rows, fields) {
            try faces?.write { $0.writeCSV(row: fields) }
            try jsonLines?.write {
                $0.writeJSON(names: FaceTable.names, row: fields, raw: row)
                $0.write("\n")
            }
            try landmarks?.append(row.face.mesh)
            if let scores = row.face.blendshapes {
                let key: [Field] = [.microseconds(row.microseconds), .integer(row.frame), .integer(row.faceID)]
                try blendshapes?.write { $0.writeCSV(row: key + scores.map { .decimal(Double($0), decimals: 4) }) }
            }
        }
        try json?.write { write(frame, rows, fields, to: &$0) }
        for (table, file) in foreign {
            // The path may hold anything.
            for row in table.rows(result, rows, input) { try file.write { $0.writeCSV(foreign: row) } }
        }
    }

    package func completed(_ rows: [TrackRow], _ found: [FaceEvent], _ intervals: [Episode]) throws(VidscanError) {
        for row in rows { try tracks?.write { $0.writeCSV(row: TrackTable.fields(of: row)) } }
        for event in found { try events?.write { $0.writeCSV(row: EventTable.fields(of: event)) } }
        for interval in intervals { try episodes?.write { $0.writeCSV(row: EpisodeTable.fields(of: interval)) } }
    }

    package func finish(quality people: [QualityRow], embeddings rows: [EmbeddingRow] = []) throws(VidscanError) {
        for row in people { try quality?.write { $0.writeCSV(row: QualityTable.fields(of: row)) } }
        try json?.write { $0.write("\n]}\n") }
        let files = [faces, frames, json, jsonLines, blendshapes, tracks, events, episodes, quality]
        for file in files + foreign.map(\.file) { try file?.finish() }
        try landmarks?.finish()
        try embeddings?.finish(rows)
    }

    private func write(_ frame: FrameRow, _ rows: [FaceRow], _ fields: [[Field]], to writer: inout ByteWriter) {
        writer.write(text: hasJSONFrame ? ",\n" : "\n")
        hasJSONFrame = true
        let facts = FrameTable.describing
        writer.writeJSON(names: facts.map(\.column.name), row: facts.map { $0.field(frame) })
        writer.removeLast()
        writer.write(",\"faces\":[")
        for (position, (row, fields)) in zip(rows, fields).enumerated() {
            if position > 0 { writer.write(",") }
            // The enclosing object has the time and the frame number.
            writer.writeJSON(names: Array(FaceTable.names.dropFirst(2)), row: fields.dropFirst(2), raw: row)
        }
        writer.write("]}")
    }
}

extension ByteWriter {
    /// The last member, `raw`, has the values before smoothing, and before those relative to a resting level.
    fileprivate mutating func writeJSON(names: [String], row fields: some Sequence<Field>, raw face: FaceRow) {
        writeJSON(names: names, row: fields)
        removeLast()
        write(",\"raw\":")
        writeJSON(
            names: FaceField.processed.map(\.name),
            row: FaceField.processed.map { .decimal(face.measured($0), decimals: $0.description.decimals) })
        write("}")
    }
}
