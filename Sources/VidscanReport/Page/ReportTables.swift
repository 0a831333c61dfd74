internal import Foundation
internal import VidscanBase
internal import VidscanFaces
internal import VidscanResults

/// A face of `tracks.csv`, with the values that a report shows.
struct ReportedFace {
    var id: Int
    var personID: Int?
    /// How certain `personID` is, 0…1; `nil` if the table does not say.
    var personConfidence: Double?
    var firstSeconds: Double
    var lastSeconds: Double
    var visibleSeconds: Double
    var samples: Int
    var appearances: Int
    /// The time of the thumbnail.
    var bestMicroseconds: Int64
    /// The mean box, used if the box at the best time is not available.
    var box: Rectangle
    /// Blinks per minute of the time in which they can be seen; `nil` if they cannot.
    var blinkRate: Double?
    /// The mean of each metric, by name.
    var means: [String: Double]
    /// The number of samples on which the mean of each metric rests, by name; empty if the table does not say.
    var measuredSamples: [String: Int]
    /// The resting level of each metric, by name, if the table gives one.
    var restingLevels: [String: Double]

    /// The text of the person's number.
    var person: String? { personID.map(String.init) }
}

/// An event of `events.csv`.
struct ReportedEvent {
    var seconds: Double
    var kind: String
    var faceID: Int?
    var value: String
    /// The share of its samples that was measured, 0…1.
    var measuredShare: Double?
}

/// Reads `tracks.csv` and `events.csv` of a result.
enum ReportTables {
    /// Reads the faces and the means of the given metrics from `tracks.csv`.
    static func faces(_ folder: String, measures: [FaceField]) throws(VidscanError) -> [ReportedFace] {
        let table = try TableReader(folder: folder, name: "tracks.csv")
        let id = try table.column("face_id")
        let person = try table.column("person_id")
        let personConfidence = table.optionalColumn("person_confidence")
        let (first, last) = (try table.column("first_time"), try table.column("last_time"))
        let (visible, best) = (try table.column("seconds_visible"), try table.column("best_time"))
        let (samples, appearances) = (try table.column("samples"), try table.column("appearances"))
        let box = try FaceColumns(FaceField.box, of: table)
        let blinkRate = table.optionalColumn("blink_rate")
        var means: [(measure: FaceField, column: Int, samples: Int?, rest: Int?)] = []
        for measure in measures {
            means.append(
                (
                    measure, try table.column("\(measure.name)_mean"), table.optionalColumn("\(measure.name)_samples"),
                    table.optionalColumn("\(measure.name)_rest")
                ))
        }
        var ids: Set<Int> = []
        var faces: [ReportedFace] = []
        while try table.next() {
            let face = try table.integer(id, in: ReadLimits.ids)
            guard ids.insert(face).inserted else { throw table.problem("face_id \(face) appears twice") }
            guard faces.count < ReadLimits.tracks else {
                throw table.problem("is one of more than \(ReadLimits.tracks) faces, too many for a page")
            }
            let (begin, end) = (
                try table.number(first, in: ReadLimits.seconds), try table.number(last, in: ReadLimits.seconds)
            )
            guard begin <= end else { throw table.problem("last_time is before first_time") }
            var values: [String: Double] = [:]
            var counts: [String: Int] = [:]
            var resting: [String: Double] = [:]
            for (measure, column, samples, rest) in means {
                values[measure.name] = try table.optionalNumber(column, in: measure.range)
                if let rest { resting[measure.name] = try table.optionalNumber(rest, in: measure.range) }
                if let samples { counts[measure.name] = try table.count(samples) }
            }
            faces.append(
                ReportedFace(
                    id: face, personID: try table.optionalInteger(person, in: ReadLimits.ids),
                    personConfidence: try personConfidence.flatMap { column throws(VidscanError) in
                        try table.optionalNumber(column, in: 0...1)
                    },
                    firstSeconds: begin, lastSeconds: end,
                    visibleSeconds: try table.number(visible, in: ReadLimits.durations),
                    samples: try table.count(samples), appearances: try table.count(appearances),
                    bestMicroseconds: try table.microseconds(best),
                    box: try box.numbers(in: table).box,
                    blinkRate: try blinkRate.flatMap { column throws(VidscanError) in
                        try table.optionalNumber(column, in: ReadLimits.durations)
                    }, means: values, measuredSamples: counts, restingLevels: resting))
        }
        return faces
    }

    /// Reads the events, which are in time order, from `events.csv`.
    static func events(_ folder: String) throws(VidscanError) -> [ReportedEvent] {
        let table = try TableReader(folder: folder, name: "events.csv")
        let (time, kind, face, value) = (
            try table.column("time"), try table.column("kind"), try table.column("face_id"), try table.column("value")
        )
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
                    seconds: seconds, kind: try table.value(kind, FaceEvent.Kind.init(rawValue:)).rawValue,
                    faceID: try table.optionalInteger(face, in: ReadLimits.ids),
                    value: try table.text(value) == nil ? "" : table.value(value, Self.eventValue),
                    measuredShare: try measured.flatMap { column throws(VidscanError) in
                        try table.optionalNumber(column, in: 0...1)
                    }))
        }
        return events
    }

    /// Returns the text if it is a word such as `occluded`, or a number; otherwise `nil`.
    private static func eventValue(_ text: String) -> String? {
        let isWord = text.utf8.count <= 32 && text.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == 0x5F }
        let isNumber = Double(text).map(ReadLimits.seconds.contains) == true
        return isWord || isNumber ? text : nil
    }
}
