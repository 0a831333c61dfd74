internal import VidscanBase
internal import VidscanFaces
internal import VidscanResults

/// `people.csv`, and the merged tables.
struct StudyTables {
    /// In the order of the numbers, then of the videos.
    let rows: [PersonRow]
    private let study: StudyPeople

    init(_ study: StudyPeople, _ state: StudyState) {
        self.study = study
        let names = Self.names(study, state)
        var rows: [PersonRow] = []
        let entries = state.entries
        for (index, video) in study.videos.enumerated() {
            let people = Dictionary(grouping: study.people[study.ranges[index]], by: { $0.studyID ?? 0 })
            let recorded = Dictionary(
                (entries[PathBytes(video.inputPath)]?.people ?? []).map { ($0.studyPersonId, $0.confidence) },
                uniquingKeysWith: min)
            for (studyID, people) in people {
                let best = people.max { ($0.faces?.count ?? 0, $1.faceIDs[0]) < ($1.faces?.count ?? 0, $0.faceIDs[0]) }
                guard let shown = best?.best else { continue }
                rows.append(
                    PersonRow(
                        studyPersonID: studyID, name: names[studyID], video: video.inputPath,
                        personIDs: Set(people.map(\.personID)).sorted(),
                        tracks: people.flatMap(\.tracks).sorted { $0.faceID < $1.faceID }, best: shown,
                        confidence: recorded[studyID] ?? IdentityCalibration.unjudged))
            }
        }
        self.rows = rows.sorted { ($0.studyPersonID, $0.video) < ($1.studyPersonID, $1.video) }
    }

    /// Returns the names that corrections of the study gave, and for people without one the pseudonym in the results,
    /// if all results agree and nobody else has it.
    private static func names(_ study: StudyPeople, _ state: StudyState) -> [Int: String] {
        var names = Dictionary(uniqueKeysWithValues: state.names.map { ($0.studyPersonId, $0.name) })
        var given: [Int: Set<String>] = [:]
        for person in study.people {
            if let id = person.studyID, let name = study.videos[person.video].pseudonyms[person.personID] {
                given[id, default: []].insert(name)
            }
        }
        let uses = Dictionary(given.values.flatMap { $0 }.map { ($0, 1) }, uniquingKeysWith: +)
        let taken = Set(names.values)
        for (id, own) in given where names[id] == nil {
            if own.count == 1, let name = own.first, uses[name] == 1, !taken.contains(name) { names[id] = name }
        }
        return names
    }

    func write(to folder: StudyFolder) throws(VidscanError) {
        var writer = ByteWriter()
        writer.writeCSV(row: PeopleTable.columns.map { .text($0.name) })
        for row in rows { writer.writeCSV(foreign: PeopleTable.fields(of: row)) }
        try AtomicFile.write(String(decoding: writer.bytes, as: UTF8.self), to: folder.path(of: PeopleTable.file))
    }

    /// Writes a table of all results, whose columns must be the same, after the video and the number of the person.
    func write(
        _ table: PeopleStudy.Table, to folder: StudyFolder, _ cancellation: CancellationFlag
    ) throws(VidscanError) {
        let file = try AtomicFile(path: folder.path(of: table.file))
        var writer = ByteWriter()
        var header: (columns: [String], result: String)?
        for (index, video) in study.videos.enumerated() {
            do throws(VidscanError) {
                let source = try TableReader(folder: video.resultPath, name: "\(table.rawValue).csv")
                if let header, header.columns != source.header {
                    throw .result(
                        "\(source.name) has other columns than that of \(header.result): another version of vidscan wrote"
                            + " it; analyse the video again")
                }
                if header == nil {
                    header = (source.header, video.resultPath)
                    writer.writeCSV(row: (["video", "study_person_id"] + source.header).map(Field.text))
                }
                let face = try source.column("face_id")
                let name = CSVField.text(video.inputPath)
                let beginnings = Dictionary(
                    uniqueKeysWithValues: study.people[study.ranges[index]].flatMap { person in
                        person.faceIDs.map { ($0, "\(name),\(person.studyID ?? 0),") }
                    })
                while try source.next() {
                    let faceID = try source.integer(face, in: ReadLimits.ids)
                    guard let beginning = beginnings[faceID] else {
                        throw source.problem("face_id \(faceID) is not in tracks.csv")
                    }
                    writer.write(text: beginning)
                    source.row.withUnsafeBytes { writer.write(bytes: $0) }
                    writer.write("\n")
                    if writer.count >= 1 << 16 {
                        try file.write(writer.bytes)
                        writer.removeAll()
                        try cancellation.check()
                    }
                }
            } catch { throw error.naming(video.resultPath) }
        }
        try file.write(writer.bytes)
        try file.complete()
    }
}
