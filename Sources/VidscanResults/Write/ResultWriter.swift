package import VidscanBase
package import VidscanFaces

/// Writes the tables of a run, frame by frame, in time order.
package final class ResultWriter {
    private let facesCSV: OutputFile?
    private let framesCSV: OutputFile?
    private let json: OutputFile?
    private let jsonLines: OutputFile?
    private let landmarks: LandmarkFile?
    private let embeddings: EmbeddingFile?
    private let blendshapes: OutputFile?
    private let tracks: OutputFile?
    private let events: OutputFile?
    private let openFace: OutputFile?
    private let pyFeat: OutputFile?
    private let input: String
    private var hasJSONFrame = false

    /// - Parameters:
    ///   - folderPath: The folder of the unfinished result.
    ///   - input: The path of the video.
    ///   - writesEmbeddings: Whether to write `embeddings.npy`, which is biometric data.
    ///   - blendshapeNames: The score columns of `blendshapes.csv`; `nil` if the file is not written.
    package init(
        folderPath: String, input: String, formats: Set<OutputFormat>, writesLandmarks: Bool, writesEmbeddings: Bool,
        blendshapeNames: [String]?
    ) throws(VidscanError) {
        func file(_ name: String, for format: OutputFormat) throws(VidscanError) -> OutputFile? {
            formats.contains(format) ? try OutputFile(path: folderPath + "/" + name) : nil
        }
        facesCSV = try file("faces.csv", for: .csv)
        framesCSV = try file("frames.csv", for: .csv)
        json = try file("faces.json", for: .json)
        jsonLines = try file("faces.jsonl", for: .jsonl)
        landmarks = writesLandmarks ? try LandmarkFile(folder: folderPath) : nil
        embeddings = writesEmbeddings ? try EmbeddingFile(folder: folderPath) : nil
        blendshapes = try blendshapeNames.map { names throws(VidscanError) in
            let file = try OutputFile(path: "\(folderPath)/\(ResultFiles.blendshapes)")
            file.buffer.writeCSV(row: (["time", "frame", "face_id"] + names).map(Field.text))
            return file
        }
        facesCSV?.buffer.writeCSV(row: FaceTable.names.map(Field.text))
        framesCSV?.buffer.writeCSV(row: FrameTable.names.map(Field.text))
        tracks = try file("tracks.csv", for: .csv)
        events = try file("events.csv", for: .csv)
        tracks?.buffer.writeCSV(row: TrackTable.names.map(Field.text))
        events?.buffer.writeCSV(row: EventTable.names.map(Field.text))
        openFace = try file(OpenFaceTable.file, for: .openface)
        pyFeat = try file(PyFeatTable.file, for: .pyfeat)
        openFace?.buffer.writeCSV(row: OpenFaceTable.names.map(Field.text))
        pyFeat?.buffer.writeCSV(row: PyFeatTable.names.map(Field.text))
        self.input = input
        json?.buffer.write("{\"frames\":[")
    }

    /// - Parameters:
    ///   - shot: The number of the frame's shot, from 1.
    ///   - faces: The rows of the faces that are kept.
    package func write(_ result: FrameRecord, shot: Int, rows faces: [FaceRow]) throws(VidscanError) {
        let frame = FrameRow(frame: result, shot: shot, faces: faces.count)
        let rows = faces.map { FaceTable.fields(of: $0) }
        if let framesCSV {
            framesCSV.buffer.writeCSV(row: FrameTable.fields(of: frame))
            try framesCSV.drain()
        }
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
        try writeForeignTables(result, faces)
    }

    private func writeForeignTables(_ frame: FrameRecord, _ faces: [FaceRow]) throws(VidscanError) {
        if let openFace {
            let rows = faces.map { OpenFaceTable.fields(of: $0, in: frame.size) }
            for row in rows.isEmpty ? [OpenFaceTable.fields(ofEmpty: frame)] : rows {
                openFace.buffer.writeCSV(row: row)
            }
            try openFace.drain()
        }
        if let pyFeat {
            let rows = faces.map { PyFeatTable.fields(of: $0, in: frame.size, input: input) }
            for row in rows.isEmpty ? [PyFeatTable.fields(ofEmpty: frame, input: input)] : rows {
                // The path may hold anything.
                pyFeat.buffer.writeCSV(foreign: row)
            }
            try pyFeat.drain()
        }
    }

    package func write(_ rows: [TrackRow]) throws(VidscanError) {
        guard let tracks else { return }
        for row in rows {
            tracks.buffer.writeCSV(row: TrackTable.fields(of: row))
            try tracks.drain()
        }
    }

    package func write(_ rows: [EmbeddingRow]) throws(VidscanError) {
        for row in rows { try embeddings?.append(row) }
    }

    package func write(_ found: [FaceEvent]) throws(VidscanError) {
        guard let events else { return }
        for event in found {
            events.buffer.writeCSV(row: EventTable.fields(of: event))
            try events.drain()
        }
    }

    package func finish() throws(VidscanError) {
        json?.buffer.write("\n]}\n")
        for file in [facesCSV, framesCSV, json, jsonLines, blendshapes, tracks, events, openFace, pyFeat] {
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
            // The time and the frame number are in the enclosing object.
            file.buffer.writeJSON(names: Array(FaceTable.names.dropFirst(2)), row: row.dropFirst(2), raw: face)
        }
        file.buffer.write("]}")
        try file.drain()
    }
}

extension ByteWriter {
    /// Writes the object of a face; its last member, `raw`, has the values before smoothing, and before those relative to a
    /// resting level.
    fileprivate mutating func writeJSON(names: [String], row fields: some Sequence<Field>, raw face: FaceRow) {
        writeJSON(names: names, row: fields)
        removeLast()
        write(",\"raw\":")
        writeJSON(
            names: FaceField.processed.map(\.name),
            row: FaceField.processed.map { field in
                face.measured(field).map { .decimal($0, decimals: field.description.decimals) } ?? .missing
            })
        write("}")
    }
}
