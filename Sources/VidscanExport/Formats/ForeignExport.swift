internal import VidscanBase
internal import VidscanFaces
internal import VidscanResults

/// Writes the tables with other programs' columns from the record of a result, as an analysis with their format does.
enum ForeignExport {
    /// Completes the files in their order. Throws if the result has no record, or if the record lacks the meshes.
    static func write(
        _ files: [(path: String, format: OutputFormat)], of result: StoredResult, replaces: Bool,
        model: @escaping @Sendable ([String: String]) throws(VidscanError) -> ExpressionModel
    ) async throws {
        try result.checkRecord()
        let header = try FrameRecordReader(folder: result.name, name: ResultFiles.record).header
        guard let options = header.options, let outcome = header.outcome, header.layout.hasMesh, options.hasExpressions
        else {
            let names = files.map(\.format.rawValue).joined(separator: ",")
            throw VidscanError.result(
                "has no face meshes, from which \(names) is made; analyse the video again with --format csv,\(names) or"
                    + " with --landmarks", input: result.name)
        }
        let (input, digests) = (result.record.input.path, result.record.models)
        let tables = try files.compactMap { path, format in
            try format.foreignTable.map {
                Table($0, input: input, file: try AtomicFile(path: path, replaces: replaces, source: input))
            }
        }
        let frames = TrackedFrames(folder: result.name, name: ResultFiles.record)
        _ = try await OutputPass(frames, outcome, options: options) { try model(digests) }.run(into: tables)
    }

    private final class Table: RowConsumer {
        private let columns: ForeignTable
        private let input: String
        private var file: AtomicFile?
        private var buffer = ByteWriter(reservingCapacity: 1 << 16)

        init(_ columns: ForeignTable, input: String, file: consuming AtomicFile) {
            (self.columns, self.input) = (columns, input)
            self.file = consume file
            buffer.writeCSV(row: columns.names.map(Field.text))
        }

        func tracked(_ frame: FrameRecord, shot: Int, rows: [FaceRow]) throws(VidscanError) {
            for row in columns.rows(frame, rows, input) { buffer.writeCSV(foreign: row) }
            if buffer.count >= 1 << 15 { try drain() }
        }

        func completed(_ tracks: [TrackRow], _ events: [FaceEvent], _ episodes: [Episode]) throws(VidscanError) {
            try drain()
            try file.take()?.complete()
        }

        private func drain() throws(VidscanError) {
            try file?.write(buffer.bytes)
            buffer.removeAll()
        }
    }
}
