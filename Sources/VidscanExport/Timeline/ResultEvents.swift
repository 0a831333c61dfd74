internal import VidscanBase
internal import VidscanFaces
internal import VidscanResults

/// An event of `events.csv`.
struct ResultEvent: Sendable, Equatable {
    var microseconds: Int64
    var kind: FaceEvent.Kind
    var faceID: Int?
    /// A word such as `cut`, or a number, as the table has it.
    var value: String?
    /// How much of the event was measured, if the table says it.
    var measured: String?

    /// In microseconds, for events that last and whose value is their duration.
    var duration: Int64? {
        switch kind {
        case .blink, .eyesClosed, .lookAway, .smileStopped:
            value.flatMap(Double.init).flatMap { ReadLimits.durations.contains($0) ? Int64(($0 * 1e6).rounded()) : nil }
        case .shotCut, .faceStarted, .faceStopped, .smileStarted: nil
        }
    }
}

/// When a result was sampled, in microseconds.
struct ResultSamples: Sendable, Equatable {
    var first: Int64
    var last: Int64
    /// The mean time from one sample to the next; 0 if there is only one.
    var interval: Int64
}

/// Reads the tables that an export needs.
enum ExportTables {
    /// Events beyond this number make a file that no annotation program opens.
    private static let maximumEvents = 200_000

    /// Reads `events.csv`, which is in order of time.
    static func events(_ folder: String) throws(VidscanError) -> [ResultEvent] {
        let table = try TableReader(folder: folder, name: "events.csv")
        let (time, kind, face, value) = (
            try table.column("time"), try table.column("kind"), try table.column("face_id"), try table.column("value")
        )
        let measured = table.optionalColumn("measured")
        var events: [ResultEvent] = []
        while try table.next() {
            let event = ResultEvent(
                microseconds: try table.microseconds(time),
                kind: try table.value(kind, FaceEvent.Kind.init(rawValue:)),
                faceID: try table.optionalInteger(face, in: ReadLimits.ids),
                value: try word(value, in: table), measured: try word(measured, in: table))
            guard event.microseconds >= events.last?.microseconds ?? event.microseconds else {
                throw table.problem("time goes back")
            }
            guard (event.kind == .shotCut) == (event.faceID == nil) else {
                throw table.problem("face_id does not fit the kind")
            }
            guard events.count < maximumEvents else {
                throw table.problem("is one of more than \(maximumEvents) events, too many to annotate")
            }
            events.append(event)
        }
        return events
    }

    /// Reads a word such as `occluded`, or a number; `nil` for a blank.
    private static func word(_ column: Int?, in table: TableReader) throws(VidscanError) -> String? {
        guard let column, table.text(column) != nil else { return nil }
        // With an optional type, nil would be a value.
        let word: String = try table.value(column) { text in
            let isWord = text.utf8.count <= 32 && text.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == 0x5F }
            let isNumber = text.utf8.count <= 32 && Double(text).map(ReadLimits.seconds.contains) == true
            return isWord || isNumber ? text : nil
        }
        return word
    }

    /// Reads the times of `frames.csv`.
    ///
    /// - Throws: `VidscanError` if the table has no sample.
    static func samples(_ folder: String) throws(VidscanError) -> ResultSamples {
        let table = try TableReader(folder: folder, name: "frames.csv")
        let time = try table.column("time")
        var samples: ResultSamples?
        var count: Int64 = 0
        while try table.next() {
            let now = try table.microseconds(time)
            guard now >= samples?.last ?? now else { throw table.problem("time goes back") }
            samples = ResultSamples(first: samples?.first ?? now, last: now, interval: 0)
            count += 1
        }
        guard var samples else { throw table.problem("has no sample") }
        if count > 1 { samples.interval = (samples.last - samples.first) / (count - 1) }
        return samples
    }

    /// Reads the person of each face from `tracks.csv`.
    static func people(_ folder: String) throws(VidscanError) -> [Int: Int] {
        let table = try TableReader(folder: folder, name: "tracks.csv")
        let (face, person) = (try table.column("face_id"), try table.column("person_id"))
        var people: [Int: Int] = [:]
        while try table.next() {
            guard people.count < ReadLimits.tracks else {
                throw table.problem("is one of more than \(ReadLimits.tracks) faces, too many to annotate")
            }
            let id = try table.integer(face, in: ReadLimits.ids)
            people[id] = try table.optionalInteger(person, in: ReadLimits.ids)
        }
        return people
    }
}
