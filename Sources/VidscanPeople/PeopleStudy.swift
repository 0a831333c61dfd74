package import VidscanBase
package import VidscanFaces
internal import VidscanResults

/// Finds out who is who in many results: one number for one person in all of them.
package struct PeopleStudy: Sendable {
    package enum Table: String, CaseIterable, Sendable {
        case tracks, faces

        package var file: String { "people_\(rawValue).csv" }
    }

    package struct Options: Sendable {
        package var corrections: String?
        /// Videos to take out of the study, by name or path, or by that of their result.
        package var removals: [String] = []
        /// By the name that the person on them is to have.
        package var photos: [String: [FaceEmbedding]] = [:]
        package var tables: Set<Table> = []
        /// Whether the page shows faces. `nil` shows them unless a video with hidden faces was made from the result.
        package var hasThumbnails: Bool?

        package init() {}
    }

    package struct Summary: Sendable {
        package var people = 0, videos = 0, corrections = 0
        /// Decisions on the page that a person should check.
        package var doubts = 0
        package var path = ""
        /// The path of the video, and a sentence for the user.
        package var warnings: [(video: String, message: String)] = []
        package var failures: [VidscanError] = []
    }

    private let options: Options

    package init(options: Options = Options()) { self.options = options }

    /// Adds results, or folders with results, to those of a study and writes `people.csv`, `people.html`, `people.json`
    /// and the merged tables, each complete or not at all. Cancelling the task throws the code `interrupted`.
    package func run(results: [String], folder: String) async throws -> Summary {
        try await BlockingWork.run(thread: "people", input: folder) { cancellation in
            try write(results, folder, cancellation)
        }
    }

    /// Whether a study wrote the file; `ifMissing` without one. It is empty if no result was left.
    private static func isTable(_ path: String, ifMissing: Bool) -> Bool {
        FileSystem.entry(path) == nil
            ? ifMissing : FileSystem.text(path).map { $0.isEmpty || $0.hasPrefix("video,study_person_id,") } ?? false
    }

    private func write(
        _ results: [String], _ path: String, _ cancellation: CancellationFlag
    ) throws(VidscanError) -> Summary {
        let corrections = try options.corrections.map(StudyCorrectionFile.init(path:))
        let folder = try StudyFolder(FilePath.absolute(FilePath.expandingHome(path)))
        let known = try StudyState.read(folder.path)
        let outputs = ([PeopleTable.file, PeoplePage.file] + Table.allCases.map(\.file)).map(folder.path(of:))
        let foreign = options.tables.map { folder.path(of: $0.file) }.filter { !Self.isTable($0, ifMissing: true) }
        if let path = known == nil ? outputs.first(where: { FileSystem.entry($0) != nil }) : foreign.first {
            throw VidscanError(
                .exists, "\(path) exists, but is not of this study; choose another folder", stage: .write)
        }
        var state = known ?? StudyState()
        var summary = Summary(path: folder.path(of: PeopleTable.file))
        for name in options.removals {
            do throws(VidscanError) {
                let index = try state.video(named: name)
                // The numbers of people who were in no other video are not given again.
                state.forgetPeople(of: index)
                state.videos.remove(at: index)
            } catch { throw .result("cannot remove \(name): \(error.reason)") }
        }
        var inputs = StudyInputs(state, cancellation)
        try inputs.read(results)
        try inputs.readKnown()
        state = inputs.state
        // The numbers in the file are those of the last run, or, for a new study, of this one.
        if let corrections, known != nil { summary.corrections = try corrections.apply(to: &state) }
        var study = try inputs.people(state)
        guard known != nil || !study.videos.isEmpty else {
            throw inputs.failures.first ?? VidscanError.result("there is no study in \(folder.path); name some results")
        }
        var links = StudyLinker.link(study, nextID: &state.nextId)
        study.assign(links.numbers)
        state.record(study, confidences: study.people.map { _ in nil })
        if let corrections, known == nil {
            summary.corrections = try corrections.apply(to: &state)
            study = try inputs.people(state)
            links = StudyLinker.link(study, nextID: &state.nextId)
        }
        var named: [Int: String] = [:]
        for (name, photos) in options.photos.sorted(by: { $0.key < $1.key }) {
            let id = try state.name(name, photos: photos, in: study, looks: links.looks)
            if let other = named.updateValue(name, forKey: id) {
                throw .result("the photographs of \(other) and of \(name) show the same person of the study")
            }
            summary.corrections += 1
        }
        try state.requireDistinctNames()
        let separated = Set(state.separations.map { PersonPair($0.one, $0.other) })
        let confidence = StudyConfidence(study, looks: links.looks, separated: separated)
        state.record(study, confidences: confidence.values)

        // The numbers are written first, because people may rely on those of the tables.
        try state.write(to: folder.path)
        let tables = StudyTables(study, state)
        try tables.write(to: folder)
        let page = PeoplePage(
            study: study, tables: tables, doubts: confidence.doubts, hasThumbnails: options.hasThumbnails,
            cancellation: cancellation)
        summary.doubts = try page.write(to: folder)
        // Those of an earlier run would still have its numbers, and the rows of videos that are removed.
        for table in Table.allCases
        where options.tables.contains(table) || Self.isTable(folder.path(of: table.file), ifMissing: false) {
            try tables.write(table, to: folder, cancellation)
        }
        summary.people = Set(tables.rows.map(\.studyPersonID)).count
        summary.videos = study.videos.count
        (summary.warnings, summary.failures) = (inputs.warnings, inputs.failures)
        return summary
    }
}

extension StudyState {
    fileprivate mutating func name(
        _ name: String, photos: [FaceEmbedding], in study: StudyPeople, looks: [[Int]]
    ) throws(VidscanError) -> Int {
        let photo = FaceCluster(photos, evidence: Double(photos.count))
        var nearest: (person: Int, excess: Double)?
        for look in looks {
            guard let photo, let cluster = study.faces(of: look) else { continue }
            let excess = cluster.distance(to: photo) - cluster.limit(with: photo)
            if excess < nearest?.excess ?? .infinity { nearest = (look[0], excess) }
        }
        guard let nearest, nearest.excess < 0, let id = study.people[nearest.person].studyID else {
            throw .result(
                "nobody in the study looks enough like the \(photos.count == 1 ? "photograph" : "photographs") of"
                    + " \(name); another photograph may do, or the correction 'name' in a file of --corrections")
        }
        try apply(.name(id, name))
        return id
    }
}
