package import VidscanBase
package import VidscanFaces

/// Writes the tables of a run, frame by frame, in time order.
package final class ResultWriter: RowConsumer {
    private let facesCSV: OutputFile?
    private let framesCSV: OutputFile?
    private let json: OutputFile?
    private let jsonLines: OutputFile?
    private let landmarks: LandmarkFile?
    private let embeddings: EmbeddingFile?
    private let blendshapes: OutputFile?
    private let tracks: OutputFile?
    private let events: OutputFile?
    private let foreign: [(table: ForeignTable, file: OutputFile?)]
    private let input: String
    private var hasJSONFrame = false

    /// `input` is the path of the video. Embeddings are biometric data.
    package init(
        folderPath: String, input: String, options: OutputOptions, writesEmbeddings: Bool
    ) throws(VidscanError) {
        func file(_ name: String, columns: [String]? = nil, isWanted: Bool = true) throws(VidscanError) -> OutputFile? {
            guard isWanted else { return nil }
            let file = try OutputFile(path: "\(folderPath)/\(name)")
            if let columns { file.buffer.writeCSV(row: columns.map(Field.text)) }
            return file
        }
        let (formats, hasCSV) = (options.formats, options.formats.contains(.csv))
        facesCSV = try file("faces.csv", columns: FaceTable.names, isWanted: hasCSV)
        framesCSV = try file("frames.csv", columns: FrameTable.names, isWanted: hasCSV)
        tracks = try file("tracks.csv", columns: TrackTable.names, isWanted: hasCSV)
        events = try file("events.csv", columns: EventTable.names, isWanted: hasCSV)
        json = try file("faces.json", isWanted: formats.contains(.json))
        jsonLines = try file("faces.jsonl", isWanted: formats.contains(.jsonl))
        landmarks = options.hasLandmarks ? try LandmarkFile(folder: folderPath) : nil
        embeddings = writesEmbeddings ? try EmbeddingFile(folder: folderPath) : nil
        let scores = options.blendshapeNames
        blendshapes = try file(
            ResultFiles.blendshapes, columns: ["time", "frame", "face_id"] + (scores ?? []), isWanted: scores != nil)
        var foreign: [(ForeignTable, OutputFile?)] = []
        for table in formats.compactMap(\.foreignTable) {
            foreign.append((table, try file(table.file, columns: table.names)))
        }
        self.foreign = foreign
        self.input = input
        json?.buffer.write("{\"frames\":[")
    }

    package func tracked(_ result: FrameRecord, shot: Int, rows faces: [FaceRow]) throws(VidscanError) {
        let frame = FrameRow(frame: result, shot: shot, faces: faces.count)
        let rows = faces.map { FaceTable.fields(of: $0) }
        framesCSV?.buffer.writeCSV(row: FrameTable.fields(of: frame))
        try framesCSV?.drain()
        for (face, row) in zip(faces, rows) {
            facesCSV?.buffer.writeCSV(row: row)
            if let jsonLines {
                jsonLines.buffer.writeJSON(names: FaceTable.names, row: row, raw: face)
                jsonLines.buffer.write("\n")
            }
        }
        try facesCSV?.drain()
        try jsonLines?.drain()
        if let json { try write(frame, faces, rows: rows, to: json) }
        for face in faces {
            try landmarks?.append(face.face.mesh)
            if let blendshapes { try write(blendshapesOf: face, to: blendshapes) }
        }
        for (table, file) in foreign {
            // The path may hold anything.
            for row in table.rows(result, faces, input) { file?.buffer.writeCSV(foreign: row) }
            try file?.drain()
        }
    }

    package func completed(_ rows: [TrackRow], _ found: [FaceEvent]) throws(VidscanError) {
        for row in rows {
            tracks?.buffer.writeCSV(row: TrackTable.fields(of: row))
            try tracks?.drain()
        }
        for event in found {
            events?.buffer.writeCSV(row: EventTable.fields(of: event))
            try events?.drain()
        }
    }

    package func write(_ rows: [EmbeddingRow]) throws(VidscanError) {
        for row in rows { try embeddings?.append(row) }
    }

    package func finish() throws(VidscanError) {
        json?.buffer.write("\n]}\n")
        for file in [facesCSV, framesCSV, json, jsonLines, blendshapes, tracks, events] + foreign.map(\.file) {
            try file?.finish()
        }
        try landmarks?.finish()
        try embeddings?.finish()
    }

    private func write(blendshapesOf row: FaceRow, to file: OutputFile) throws(VidscanError) {
        guard let scores = row.face.blendshapes else { return }
        let key: [Field] = [.microseconds(row.microseconds), .integer(row.frame), .integer(Int64(row.faceID))]
        file.buffer.writeCSV(row: key + scores.map { .decimal(Double($0), decimals: 4) })
        try file.drain()
    }

    private func write(
        _ frame: FrameRow, _ faces: [FaceRow], rows: [[Field]], to file: OutputFile
    ) throws(VidscanError) {
        file.buffer.write(text: hasJSONFrame ? ",\n" : "\n")
        hasJSONFrame = true
        file.buffer.writeJSON(names: FrameTable.describingNames, row: FrameTable.describingFields(of: frame))
        file.buffer.removeLast()
        file.buffer.write(",\"faces\":[")
        for (position, (face, row)) in zip(faces, rows).enumerated() {
            if position > 0 { file.buffer.write(",") }
            // The enclosing object has the time and the frame number.
            file.buffer.writeJSON(names: Array(FaceTable.names.dropFirst(2)), row: row.dropFirst(2), raw: face)
        }
        file.buffer.write("]}")
        try file.drain()
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
