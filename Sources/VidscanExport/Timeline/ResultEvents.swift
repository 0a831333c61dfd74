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

extension ResultEvent {
    /// Events beyond this number make a file that no annotation program opens.
    private static let maximum = 200_000

    /// Reads `events.csv`, which is in order of time.
    static func read(_ folder: String) throws(VidscanError) -> [ResultEvent] {
        let table = try TableReader(folder: folder, name: "events.csv")
        let (time, kind, face, value) = (
            try table.column("time"), try table.column("kind"), try table.column("face_id"), try table.column("value")
        )
        let measured = table.optionalColumn("measured")
        var events: [ResultEvent] = []
        while try table.next() {
            let event = ResultEvent(
                microseconds: try table.microseconds(time), kind: try table.value(kind, FaceEvent.Kind.init(rawValue:)),
                faceID: try table.optionalInteger(face, in: ReadLimits.ids),
                value: try word(value, in: table), measured: try word(measured, in: table))
            guard event.microseconds >= events.last?.microseconds ?? event.microseconds else {
                throw table.problem("time goes back")
            }
            guard (event.kind == .shotCut) == (event.faceID == nil) else {
                throw table.problem("face_id does not fit the kind")
            }
            guard events.count < maximum else {
                throw table.problem("is one of more than \(maximum) events, too many to annotate")
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
            let isWord = text.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == 0x5F }
            let isNumber = Double(text).map(ReadLimits.seconds.contains) == true
            return text.utf8.count <= 32 && (isWord || isNumber) ? text : nil
        }
        return word
    }
}

/// When a result was sampled, in microseconds.
struct ResultSamples: Sendable, Equatable {
    let first, last: Int64
    /// The mean time from one sample to the next; 0 if there is only one.
    let interval: Int64

    /// Reads the times of `frames.csv`. Throws if the table has no sample.
    init(folder: String) throws(VidscanError) {
        let table = try TableReader(folder: folder, name: "frames.csv")
        let time = try table.column("time")
        var range: (first: Int64, last: Int64)?
        var count: Int64 = 0
        while try table.next() {
            let now = try table.microseconds(time)
            guard now >= range?.last ?? now else { throw table.problem("time goes back") }
            range = (range?.first ?? now, now)
            count += 1
        }
        guard let range else { throw table.problem("has no sample") }
        (first, last) = range
        interval = count > 1 ? (last - first) / (count - 1) : 0
    }
}
