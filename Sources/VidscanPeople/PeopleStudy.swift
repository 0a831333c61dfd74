internal import Foundation
public import VidscanBase
internal import VidscanResults

/// Finds out who is who in many results: one number for one person in all of them.
public struct PeopleStudy: Sendable {
    /// The tables that can be written with the numbers of the study.
    public enum Table: String, CaseIterable, Sendable {
        case tracks, faces

        /// `people_tracks.csv`
        package var file: String { "people_\(rawValue).csv" }
    }

    public struct Options: Sendable {
        /// The path of a file of corrections.
        public var corrections: String?
        /// Videos that are taken out of the study, by name or path, or by that of their result.
        public var removals: [String] = []
        /// Merged tables to write.
        public var tables: Set<Table> = []
        /// Whether the page shows faces. `nil` shows them unless a video with hidden faces was made from the result.
        public var hasThumbnails: Bool?

        public init() {}
    }

    public struct Summary: Sendable {
        /// The number of people.
        public var people = 0
        /// The number of videos in the tables.
        public var videos = 0
        /// The number of decisions on the page that a person should check.
        public var doubts = 0
        /// The number of corrections that were applied.
        public var corrections = 0
        /// The path of `people.csv`.
        public var path = ""
        /// What the user should know about a video: its path, and one sentence.
        public var warnings: [(video: String, message: String)] = []
        /// Why results were left out.
        public var failures: [VidscanError] = []
    }

    private let options: Options

    public init(options: Options = Options()) {
        self.options = options
    }

    /// Adds results to a study and writes `people.csv`, `people.html`, `people.json` and the merged tables. Each of them
    /// appears complete or not at all.
    ///
    /// - Parameters:
    ///   - results: Results, or folders with results. Those that were given earlier stay in the study.
    ///   - folder: The folder of the study, which is created if it does not exist.
    /// - Throws: `VidscanError` if nothing could be written. Cancelling the task throws the code `interrupted`.
    public func run(results: [String], folder: String) async throws -> Summary {
        try await BlockingWork.run(thread: "people", input: folder) { cancellation in
            try write(results, folder, cancellation)
        }
    }

    private func write(
        _ results: [String], _ path: String, _ cancellation: CancellationFlag
    ) throws(VidscanError) -> Summary {
        let corrections = try options.corrections.map { path throws(VidscanError) in try CorrectionFile(path: path) }
        let folder = try StudyFolder(FilePath.absolute(FilePath.expandingHome(path)))
        let known = try StudyState.read(folder.path)
        if known == nil, let file = [PeopleTable.file, PeoplePageMaker.file].first(where: folder.contains) {
            throw VidscanError(
                .exists, "\(folder.path(of: file)) exists, but \(StudyState.name) does not; choose another folder",
                stage: .write)
        }
        var state = known ?? StudyState()
        var summary = Summary(path: folder.path(of: PeopleTable.file))
        for name in options.removals {
            do throws(Correction.Malformed) {
                state.remove(try state.video(named: name))
            } catch {
                throw VidscanError(.result, "cannot remove \(name): \(error.reason)", stage: .open)
            }
        }
        var inputs = StudyInputs(state, cancellation)
        try inputs.read(results)
        try inputs.readKnown()
        state = inputs.state
        // The numbers in the file are those of the last run, or, for a new study, of this one.
        if let corrections, known != nil { summary.corrections = try corrections.apply(to: &state) }
        var study = try inputs.people(state)
        guard known != nil || !study.videos.isEmpty else {
            throw inputs.failures.first
                ?? VidscanError(.result, "there is no study in \(folder.path); name some results", stage: .open)
        }
        var links = StudyLinker.link(study, nextID: &state.nextId)
        study.assign(links.numbers)
        state.record(study, confidences: study.people.map { _ in nil })
        if let corrections, known == nil {
            summary.corrections = try corrections.apply(to: &state)
            study = try inputs.people(state)
            links = StudyLinker.link(study, nextID: &state.nextId)
        }
        let separated = Set(state.separations.map { SimultaneousPeople.Pair($0.one, $0.other) })
        let confidence = StudyConfidence(study, looks: links.looks, separated: separated)
        state.record(study, confidences: confidence.values)

        // The numbers are written first, because people may rely on those of the tables.
        try state.write(to: folder.path)
        let tables = StudyTables(study, state)
        try tables.write(to: folder)
        let page = PeoplePageMaker(
            study: study, tables: tables, doubts: confidence.doubts, hasThumbnails: options.hasThumbnails,
            cancellation: cancellation)
        summary.doubts = try page.write(to: folder)
        for table in Table.allCases where options.tables.contains(table) {
            try tables.write(table, to: folder, cancellation)
        }
        summary.people = Set(tables.rows.map(\.studyPersonID)).count
        summary.videos = study.videos.count
        (summary.warnings, summary.failures) = (inputs.warnings, inputs.failures)
        return summary
    }
}
