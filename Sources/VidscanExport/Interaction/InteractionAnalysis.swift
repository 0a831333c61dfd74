internal import VidscanBase
internal import VidscanFaces
internal import VidscanResults

/// Compares the people of a finished result in pairs, and writes `dyads.csv`.
public struct InteractionAnalysis: Sendable {
    public struct Options: Sendable {
        /// A folder, or for one result a file; `nil` is the folder of the result.
        public var output: String?
        /// Whether `output` must be a folder, which is created if there is none.
        public var outputIsFolder = false
        /// Whether existing files may be replaced.
        public var replaces = false

        public init() {}
    }

    public struct Summary: Sendable {
        /// Of the table.
        public let path: String
        /// Pairs of people.
        public let pairs: Int
    }

    /// Two people who are in sight together for a shorter time are not compared, and a measure that is known for a shorter
    /// time is blank.
    public static let minimumSeconds = 10.0

    private let options: Options

    public init(options: Options) { self.options = options }

    /// Compares the people of one result. The table appears complete or not at all. Cancelling the task throws a
    /// `VidscanError` with the code `interrupted`.
    public func run(resultPath: String) async throws -> Summary {
        try await BlockingWork.run(thread: "interact", input: resultPath) { cancellation in
            try write(resultPath) { () throws(VidscanError) in
                guard !cancellation.isSet else { throw VidscanError(.interrupted, "interrupted") }
            }
        }
    }

    private func write(_ resultPath: String, _ check: () throws(VidscanError) -> Void) throws(VidscanError) -> Summary {
        let result = try StoredResult(path: resultPath)
        let video = result.record.input.path
        let output = options.output.map(FilePath.expandingHome)
        let folder = try ExportPlaces.folder(output, options.outputIsFolder)
        let path =
            folder.map { FilePath.joining($0, "\(ExportPlaces.stem(of: video)).\(ResultFiles.dyads)") } ?? output
            ?? FilePath.joining(result.name, ResultFiles.dyads)
        let file = try AtomicFile(path: path, replaces: options.replaces, source: video)
        let series = try PersonSeries(folder: result.name, check)
        var writer = ByteWriter()
        writer.writeCSV(row: DyadTable.columns.map { .text($0.name) })
        let pairs = try series.pairs(seconds: Self.minimumSeconds)
        for (first, second) in pairs {
            let dyad = Dyad(series, first, second, minimumSeconds: Self.minimumSeconds)
            for row in try dyad.rows(check) { writer.writeCSV(row: DyadTable.fields(of: row)) }
        }
        try file.write(writer.bytes)
        try file.complete()
        return Summary(path: path, pairs: pairs.count)
    }
}
