internal import VidscanBase
internal import VidscanFaces
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
}

struct ReportedEvent {
    var seconds: Double
    var kind: FaceEvent.Kind
    var faceID: Int?
    var value: String
    /// The measured fraction of its samples, 0…1.
    var measuredFraction: Double?
}

enum PageTables {
    private static let measures = TrackTable.measures.filter { $0.range != 0...1 }

    static func faces(_ folder: String) throws(VidscanError) -> [ReportedFace] {
        let table = try TableReader(folder: folder, name: "tracks.csv")
        let (id, person) = (try table.column("face_id"), try table.column("person_id"))
        let personConfidence = table.optionalColumn("person_confidence")
        let (first, last) = (try table.column("first_time"), try table.column("last_time"))
        let (visible, best) = (try table.column("seconds_visible"), try table.column("best_time"))
        let (samples, appearances) = (try table.column("samples"), try table.column("appearances"))
        let box = try FaceColumns(FaceField.box, of: table)
        let blinkRate = table.optionalColumn("blink_rate")
        let columns = try measures.map { measure throws(VidscanError) in
            (
                measure: measure, mean: try table.column("\(measure.name)_mean"),
                samples: table.optionalColumn("\(measure.name)_samples"),
                rest: table.optionalColumn("\(measure.name)_rest")
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

    static func events(_ folder: String) throws(VidscanError) -> [ReportedEvent] {
        let table = try TableReader(folder: folder, name: "events.csv")
        let (time, kind) = (try table.column("time"), try table.column("kind"))
        let (face, value) = (try table.column("face_id"), try table.column("value"))
        let measured = table.optionalColumn("measured")
        var events: [ReportedEvent] = []
        while try table.next() {
            let seconds = try table.number(time, in: ReadLimits.seconds)
            guard seconds >= events.last?.seconds ?? seconds else { throw table.problem("time goes back") }
            guard events.count < ReadLimits.events else {
                throw table.problem("is one of more than \(ReadLimits.events) events, too many for a page")
            }
            events.append(
                ReportedEvent(
                    seconds: seconds, kind: try table.value(kind, FaceEvent.Kind.init(rawValue:)),
                    faceID: try table.optionalInteger(face, in: ReadLimits.ids),
                    value: try table.text(value) == nil ? "" : table.value(value, Self.eventValue),
                    measuredFraction: try table.optionalNumber(measured, in: 0...1)))
        }
        return events
    }

    /// `nil` unless the text is a word such as `occluded`, or a number.
    private static func eventValue(_ text: String) -> String? {
        let isWord = text.utf8.count <= 32 && text.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == 0x5F }
        let isNumber = Double(text).map(ReadLimits.seconds.contains) == true
        return isWord || isNumber ? text : nil
    }
}

struct SampleTimes {
    private(set) var microseconds: [Int64] = []
    var count: Int { microseconds.count }
    /// In seconds; 0 without samples.
    var range: ClosedRange<Double> { Double(microseconds.first ?? 0) / 1e6...Double(microseconds.last ?? 0) / 1e6 }
    /// On average, in seconds.
    var interval: Double { count > 1 ? (range.upperBound - range.lowerBound) / Double(count - 1) : 0 }

    init(_ folder: String) throws(VidscanError) {
        let table = try TableReader(folder: folder, name: "frames.csv")
        let time = try table.column("time")
        while try table.next() {
            let next = try table.microseconds(time)
            guard next >= microseconds.last ?? next else { throw table.problem("time goes back") }
            microseconds.append(next)
        }
    }
}
