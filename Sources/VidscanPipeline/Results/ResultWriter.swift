internal import VidscanCore
internal import VidscanFaces

/// Writes a run's tables, frame by frame, in time order.
final class ResultWriter {
    private let facesCSV: OutputFile?
    private let framesCSV: OutputFile?
    private let json: OutputFile?
    private let jsonLines: OutputFile?
    private let landmarks: LandmarkFile?
    private let blendshapes: OutputFile?
    private let metrics: Set<Metric>
    private var hasJSONFrame = false
    private(set) var faceCount = 0

    init(folderPath: String, options: AnalysisOptions, blendshapeNames: [String]) throws(PipelineError) {
        let formats = options.formats
        metrics = options.metrics
        func file(_ name: String, for format: OutputFormat) throws(PipelineError) -> OutputFile? {
            formats.contains(format) ? try OutputFile(path: folderPath + "/" + name) : nil
        }
        facesCSV = try file("faces.csv", for: .csv)
        framesCSV = try file("frames.csv", for: .csv)
        json = try file("faces.json", for: .json)
        jsonLines = try file("faces.jsonl", for: .jsonl)
        landmarks = options.writesLandmarks ? try LandmarkFile(path: folderPath + "/landmarks.npy") : nil
        blendshapes = options.writesBlendshapes ? try OutputFile(path: folderPath + "/blendshapes.csv") : nil
        blendshapes?.buffer.writeCSV(row: (["time", "frame", "face_id"] + blendshapeNames).map(Field.text))
        facesCSV?.buffer.writeCSV(row: FaceTable.names.map(Field.text))
        framesCSV?.buffer.writeCSV(row: FrameTable.names.map(Field.text))
        json?.buffer.write("{\"frames\":[")
    }

    /// - Parameter ids: of the result's faces, in the same order.
    func write(_ result: FrameResult, ids: [Int]) throws(PipelineError) {
        let rows = zip(result.faces, ids).map {
            FaceTable.fields(
                of: FaceRow(
                    microseconds: result.microseconds, frame: result.index, faceID: $1, face: $0,
                    metrics: metrics))
        }
        faceCount += rows.count
        if let framesCSV {
            framesCSV.buffer.writeCSV(
                row: [.microseconds(result.microseconds), .integer(result.index), .integer(Int64(rows.count))])
            try framesCSV.drain()
        }
        for row in rows {
            facesCSV?.buffer.writeCSV(row: row)
            if let jsonLines {
                jsonLines.buffer.writeJSON(names: FaceTable.names, row: row)
                jsonLines.buffer.write("\n")
            }
        }
        try facesCSV?.drain()
        try jsonLines?.drain()
        if let json { try write(result, rows: rows, to: json) }
        for (face, id) in zip(result.faces, ids) {
            try landmarks?.append(face.mesh)
            if let blendshapes { try write(face, id: id, of: result, to: blendshapes) }
        }
    }

    func finish() throws(PipelineError) {
        json?.buffer.write("\n]}\n")
        for file in [facesCSV, framesCSV, json, jsonLines, blendshapes] { try file?.finish() }
        try landmarks?.finish()
    }

    private func write(
        _ face: AnalyzedFace, id: Int, of result: FrameResult, to file: OutputFile
    ) throws(PipelineError) {
        guard let scores = face.expressions?.blendshapes else { return }
        let key: [Field] = [.microseconds(result.microseconds), .integer(result.index), .integer(Int64(id))]
        file.buffer.writeCSV(row: key + scores.map { .decimal(Double($0), decimals: 4) })
        try file.drain()
    }

    private func write(_ result: FrameResult, rows: [[Field]], to file: OutputFile) throws(PipelineError) {
        file.buffer.write(text: hasJSONFrame ? ",\n" : "\n")
        hasJSONFrame = true
        file.buffer.write("{\"time\":")
        file.buffer.writeJSON(.microseconds(result.microseconds))
        file.buffer.write(",\"frame\":")
        file.buffer.writeJSON(.integer(result.index))
        file.buffer.write(",\"faces\":[")
        for (position, row) in rows.enumerated() {
            if position > 0 { file.buffer.write(",") }
            // Time and frame stand above the faces.
            file.buffer.writeJSON(names: Array(FaceTable.names.dropFirst(2)), row: row.dropFirst(2))
        }
        file.buffer.write("]}")
        try file.drain()
    }
}
