internal import VidscanBase
internal import VidscanResults

struct ReportedFace {
    var id: Int
    var personID: Int?
    /// The certainty of `personID`, 0…1; `nil` if the table does not say.
    var personConfidence: Double?
    var firstSeconds: Double
    var lastSeconds: Double
    var visibleSeconds: Double
    var samples: Int
    var appearances: Int
    var bestMicroseconds: Int64
    /// For a thumbnail if no box is available at that time.
    var box: Rectangle
    /// Per minute in which blinks can be seen; `nil` without any.
    var blinkRate: Double?
    /// By metric. The samples are those behind the mean; `nil` if the table does not say.
    var measures: [String: (mean: Double?, samples: Int?, rest: Double?)]

    static func read(_ folder: String) throws(VidscanError) -> [ReportedFace] {
        let table = try TableReader(folder: folder, name: "tracks.csv")
        let (id, person) = (try table.column("face_id"), try table.column("person_id"))
        let personConfidence = table.optionalColumn("person_confidence")
        let (first, last) = (try table.column("first_time"), try table.column("last_time"))
        let (visible, best) = (try table.column("seconds_visible"), try table.column("best_time"))
        let (samples, appearances) = (try table.column("samples"), try table.column("appearances"))
        let box = try FaceColumns(FaceField.box, of: table)
        let blinkRate = table.optionalColumn("blink_rate")
        let columns = try TrackTable.measures.filter { $0.range != 0...1 }.map { measure throws(VidscanError) in
            let (samples, rest) = ("\(measure.name)_samples", "\(measure.name)_rest")
            return (
                measure, try table.column("\(measure.name)_mean"), table.optionalColumn(samples),
                table.optionalColumn(rest)
            )
        }
        var ids: Set<Int> = []
        var faces: [ReportedFace] = []
        while try table.next() {
            let face = try table.integer(id, in: ReadLimits.ids)
            guard ids.insert(face).inserted else { throw table.problem("face_id \(face) appears twice") }
            guard faces.count < ReadLimits.tracks else {
                throw table.problem("is one of more than \(ReadLimits.tracks) faces, too many for a page")
            }
            let begin = try table.number(first, in: ReadLimits.seconds)
            let end = try table.number(last, in: ReadLimits.seconds)
            guard begin <= end else { throw table.problem("last_time is before first_time") }
            var measures: [String: (mean: Double?, samples: Int?, rest: Double?)] = [:]
            for (measure, mean, samples, rest) in columns {
                measures[measure.name] = (
                    try table.optionalNumber(mean, in: measure.range), try samples.map(table.count),
                    try table.optionalNumber(rest, in: measure.range)
                )
            }
            faces.append(
                ReportedFace(
                    id: face, personID: try table.optionalInteger(person, in: ReadLimits.ids),
                    personConfidence: try table.optionalNumber(personConfidence, in: 0...1), firstSeconds: begin,
                    lastSeconds: end, visibleSeconds: try table.number(visible, in: ReadLimits.durations),
                    samples: try table.count(samples), appearances: try table.count(appearances),
                    bestMicroseconds: try table.microseconds(best), box: try box.numbers(in: table).box,
                    blinkRate: try table.optionalNumber(blinkRate, in: ReadLimits.durations), measures: measures))
        }
        return faces
    }
}

/// `quality.csv` for the page's script, in seconds by person; empty for results of earlier versions.
enum ReportedQuality {
    private static let names = [
        "seconds_visible", "measured_seconds", "one_side_seconds", "half_covered_seconds", "turned_seconds",
        "covered_seconds", "small_seconds", "no_mesh_seconds",
    ]

    static func read(_ folder: String) throws(VidscanError) -> JSONValue {
        guard FileSystem.entry("\(folder)/\(QualityTable.file)") != nil else { return .list([]) }
        let table = try TableReader(folder: folder, name: QualityTable.file)
        let person = try table.column("person_id")
        let columns = try names.map { name throws(VidscanError) in (name, try table.column(name)) }
        var rows: [JSONValue] = []
        while try table.next() {
            var row = ["person": JSONValue.integer(try table.integer(person, in: ReadLimits.ids))]
            for (name, column) in columns {
                row[name] = try table.optionalNumber(column, in: ReadLimits.durations).map(JSONValue.number)
            }
            rows.append(.object(row))
        }
        return .list(rows)
    }
}
