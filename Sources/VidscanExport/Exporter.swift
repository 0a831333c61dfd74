internal import VidscanBase
internal import VidscanFaces
package import VidscanResults

/// Writes the episodes of a finished result as annotations for other programs.
package struct Exporter: Sendable {
    package enum Grouping: String, Sendable, CaseIterable { case person, face }

    package struct Options: Sendable {
        package var formats: [ExportFormat]
        package var grouping = Grouping.person
        /// A folder, or for one format a file; `nil` is the folder of the result.
        package var output: String?
        /// Whether `output` must be a folder, which is created if there is none.
        package var outputIsFolder = false
        package var replaces = false
        /// Whether each person, or each face, gets tables of other programs for itself.
        package var splitsTables = false
        /// What `openface.csv` has where a value is not known; `nil` is as the analysis was asked for.
        package var openFaceBlanks: OpenFaceBlanks?
        /// Whether to leave out the tables of other programs if the result has no face meshes.
        package var mayLackTables = false

        package init(formats: [ExportFormat]) { self.formats = formats }
    }

    /// The latest time of an EAF document, in microseconds: a 32-bit number of milliseconds.
    private static let latest = Int64(UInt32.max) * 1000
    /// No annotation program opens a file with more.
    private static let maximumEvents = 200_000

    private let options: Options
    private let model: RecordedModel

    /// Only the formats of other programs' tables need the model.
    package init(options: Options, model: @escaping RecordedModel) { (self.options, self.model) = (options, model) }

    /// Exports a finished result. Returns the paths of the files and, in words, what they lack. Each file appears complete
    /// or not at all. Cancelling the task throws a `VidscanError` with the code `interrupted`.
    package func run(resultPath: String) async throws -> (paths: [String], notes: [String]) {
        try await BlockingWork.run(thread: "export", input: resultPath) { cancellation in
            try await write(resultPath, cancellation)
        }
    }

    private func write(_ resultPath: String, _ cancellation: CancellationFlag) async throws -> ([String], [String]) {
        let result = try StoredResult(path: resultPath)
        var (formats, notes): ([ExportFormat], [String]) = (options.formats, [])
        var tables: ForeignExport?
        if case let names = formats.compactMap(\.table), !names.isEmpty {
            do throws(VidscanError) {
                tables = try ForeignExport(of: result, for: names, blanks: options.openFaceBlanks)
                notes = names.compactMap { tables?.columns($0)?.notice }
            } catch {
                // A result may lack meshes or its record, but not have a changed one.
                let lacksRecord = FileSystem.entry("\(result.name)/\(ResultFiles.record)") == nil
                guard options.mayLackTables, lacksRecord || (try? result.checkRecord()) != nil else { throw error }
                formats.removeAll { $0.table != nil }
                notes = ["without \(names.map(\.rawValue).joined(separator: ", ")): the result \(error.reason)"]
            }
        }
        let subjects = options.splitsTables ? try tables?.subjects(options.grouping) : []
        let places = try ExportPlaces(formats, of: subjects ?? [], options: options, result: result)
        // Nothing is written if a file is in the way.
        for path in places.paths {
            try ResultContents.refuseFile(path)
            try AtomicFile.checkVacancy(path, replaces: options.replaces)
        }
        try await tables?.write(places, replaces: options.replaces, model: model)
        if formats.contains(where: { $0.table == nil }) {
            notes += try writeAnnotations(of: result, to: places, cancellation)
        }
        return (places.paths, notes)
    }

    private func writeAnnotations(
        of result: StoredResult, to places: ExportPlaces, _ cancellation: CancellationFlag
    ) throws(VidscanError) -> [String] {
        let (record, samples) = (result.record, try SampleTimes(folder: result.name, mayBeEmpty: false))
        let sample = record.pipeline.sample
        let isWhole = sample.start == nil && sample.end == nil && record.corrections?.excluded.isEmpty != false
        let last = isWhole ? nil : samples.range.upperBound + max(samples.interval, 0.001)
        let end = [last, record.pipeline.sample.end, record.video.durationSeconds].compactMap(\.self).min()
        let timeline = EpisodeTimeline(
            episodes: try Episode.read(result.name, limit: Self.maximumEvents, purpose: "to annotate"),
            events: try StoredEvent.read(
                result.name, limit: Self.maximumEvents, purpose: "to annotate", requiresFaces: true), samples: samples,
            duration: end.map { Int64(($0 * 1e6).rounded()) },
            // Others could be the number of somebody without a name.
            names: (record.corrections?.people ?? [:]).filter { $0.value.wholeMatch(of: /person_[0-9]+/) == nil })
        let spoken = record.pipeline.speech == true
        let tiers = Tier.tiers(of: timeline.annotations, byPerson: options.grouping == .person)
        guard timeline.end <= Self.latest || !options.formats.contains(.elan) else {
            throw .result("is too long for ELAN, which counts up to 49 days", input: result.name)
        }
        for (format, _, paths) in places.files where format.table == nil {
            for (position, path) in paths.enumerated() {
                try cancellation.check()
                let file = try AtomicFile(path: path, replaces: options.replaces, source: record.input.path)
                switch format {
                case .elan: try file.write(ELANDocument(tiers: tiers, media: places.media(from: path)).text())
                case .vtt where position == 0: try file.write(WebVTT.captions(tiers))
                case .vtt:
                    try WebVTT.writeBoxes(of: result, interval: samples.wholeInterval, end: timeline.end, to: file)
                case .textgrid: try file.write(TextGrid(tiers: tiers, end: timeline.end).text())
                case .bids:
                    try file.write(position == 0 ? BIDSEvents.table(timeline.annotations) : BIDSEvents.description())
                case .rttm:
                    try file.write(RTTM.text(tiers, file: places.stem, kind: spoken ? .speaks : .visible))
                case .openface, .pyfeat: break
                }
                try file.complete()
            }
        }
        var notes: [String] = []
        if options.formats.contains(.rttm), spoken, !tiers.contains(where: { $0.kind == .speaks }) {
            notes.append("the RTTM file is empty: nobody was found to speak, or it could not be known")
        }
        let differs = result.hasMapToSource ? try result.mapToSource() != nil && options.formats.contains(.vtt) : true
        if differs {
            notes.append("times and boxes are those after the filters, and may differ from those of the video")
        }
        return notes
    }
}
