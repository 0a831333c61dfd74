internal import VidscanBase
internal import VidscanFaces
internal import VidscanResults

/// Writes the tables with other programs' columns from the record of a result, as an analysis with their format does.
struct ForeignExport {
    private let result: StoredResult
    private let options: OutputOptions
    private let outcome: TrackingOutcome
    private let blanks: OpenFaceBlanks?

    /// Each file stays open while the record is read.
    private static let maximumSubjects = 100

    /// Throws if the result has no record, or if the record lacks the meshes for the formats.
    init(of result: StoredResult, for formats: [OutputFormat], blanks: OpenFaceBlanks?) throws(VidscanError) {
        try result.checkRecord()
        let header = try FrameRecordReader(path: "\(result.name)/\(ResultFiles.record)").header
        guard let options = header.options, let outcome = header.outcome, header.layout.hasMesh, options.hasExpressions
        else {
            let names = formats.map(\.rawValue).joined(separator: ",")
            throw .result(
                "has no face meshes and expressions, from which \(names) is made; analyse the video again with --format csv,\(names) or"
                    + " with --landmarks, and without --metrics none", input: result.name)
        }
        (self.result, self.options, self.outcome) = (result, options, outcome)
        self.blanks = blanks ?? options.openFaceBlanks
    }

    func columns(_ format: OutputFormat) -> ForeignTable? { format.foreignTable(blanks) }

    /// Returns everybody in the tables, in order. Throws if there are too many for a file each.
    func subjects(_ grouping: Exporter.Grouping) throws(VidscanError) -> [Tier.Subject] {
        let all = Set(outcome.tracks.map { grouping == .person ? Tier.Subject.person($0.personID) : .face($0.faceID) })
        guard all.count <= Self.maximumSubjects else {
            throw .result("has \(all.count) \(grouping)s, too many for a file each", input: result.name)
        }
        return all.sorted()
    }

    /// Completes the tables among the files, in their order.
    func write(_ places: ExportPlaces, replaces: Bool, model: @escaping RecordedModel) async throws {
        let (input, digests) = (result.record.input.path, result.record.models)
        let tables = try places.files.compactMap { format, subject, paths in
            try format.table.flatMap(columns).map {
                Table(
                    $0, of: subject, input: input,
                    file: try AtomicFile(path: paths[0], replaces: replaces, source: input))
            }
        }
        let frames = TrackedFrames(folder: result.name, name: ResultFiles.record)
        _ = try await OutputPass.run(frames, outcome, options: options, into: tables) { try model(digests) }
    }

    private final class Table: RowConsumer {
        private let columns: ForeignTable
        private let subject: Tier.Subject?
        private let input: String
        private var file: AtomicFile?
        private var buffer = ByteWriter(reservingCapacity: 1 << 16)

        init(_ columns: ForeignTable, of subject: Tier.Subject?, input: String, file: consuming AtomicFile) {
            (self.columns, self.subject, self.input) = (columns, subject, input)
            self.file = consume file
            buffer.writeCSV(row: columns.names.map(Field.text))
        }

        func tracked(_ frame: FrameRecord, shot: Int, rows: [FaceRow]) throws(VidscanError) {
            for row in columns.rows(frame, own(rows), input) { buffer.writeCSV(foreign: row) }
            if buffer.count >= 1 << 15 { try drain() }
        }

        /// The subject alone, as if nobody else were there; the larger of two faces of one person.
        private func own(_ rows: [FaceRow]) -> [FaceRow] {
            guard let subject else { return rows }
            let own = rows.filter { subject == .face($0.faceID) || $0.personID.map { subject == .person($0) } ?? false }
            return own.max { $0.face.box.area < $1.face.box.area }.map { [$0] } ?? []
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
