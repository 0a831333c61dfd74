package import VidscanBase
package import VidscanFaces

/// The times of `frames.csv`.
package struct SampleTimes: Sendable {
    /// Ascending.
    package private(set) var microseconds: [Int64] = []
    /// The index of each sample's frame among all frames of the video.
    package private(set) var frames: [Int] = []
    package var count: Int { microseconds.count }
    /// In seconds; 0 without samples.
    package var range: ClosedRange<Double> {
        Double(microseconds.first ?? 0) / 1e6...Double(microseconds.last ?? 0) / 1e6
    }
    /// On average, in seconds.
    package var interval: Double { count > 1 ? (range.upperBound - range.lowerBound) / Double(count - 1) : 0 }

    package init(folder: String, mayBeEmpty: Bool) throws(VidscanError) {
        let table = try TableReader(folder: folder, name: "frames.csv")
        let (time, frame) = (try table.column("time"), try table.column("frame"))
        while try table.next() {
            let next = try table.microseconds(time)
            guard next >= microseconds.last ?? next else { throw table.problem("time goes back") }
            microseconds.append(next)
            frames.append(try table.count(frame))
        }
        guard mayBeEmpty || !microseconds.isEmpty else { throw table.problem("has no sample") }
    }
}

/// A row of `events.csv`.
package struct StoredEvent: Sendable, Equatable {
    package let microseconds: Int64
    package let kind: FaceEvent.Kind
    package let faceID: Int?
    /// A word such as `occluded`, or a number.
    package let value: String?
    /// The measured fraction of its samples, 0…1.
    package let measured: String?
    /// The number of the episode that it begins or ends, if the table has it.
    package let episode: Int?

    /// - Parameters:
    ///   - purpose: says for what more than `limit` events are too many.
    ///   - requiresFaces: whether every event but a cut must have a face, and no cut may have one.
    package static func read(
        _ folder: String, limit: Int, purpose: String, requiresFaces: Bool = false
    ) throws(VidscanError) -> [StoredEvent] {
        let table = try TableReader(folder: folder, name: "events.csv")
        let (time, kind) = (try table.column("time"), try table.column("kind"))
        let (face, value) = (try table.column("face_id"), try table.column("value"))
        let (measured, episode) = (table.optionalColumn("measured"), table.optionalColumn("episode"))
        var events: [StoredEvent] = []
        while try table.next() {
            _ = try table.optionalNumber(measured, in: 0...1)
            let event = StoredEvent(
                microseconds: try table.microseconds(time), kind: try table.value(kind, FaceEvent.Kind.init(rawValue:)),
                faceID: try table.optionalInteger(face, in: ReadLimits.ids),
                value: try table.text(value) == nil ? nil : table.value(value, valid) as String,
                measured: measured.flatMap(table.text),
                episode: try episode.flatMap { column throws(VidscanError) in
                    try table.optionalInteger(column, in: ReadLimits.ids)
                })
            guard event.microseconds >= events.last?.microseconds ?? event.microseconds else {
                throw table.problem("time goes back")
            }
            guard !requiresFaces || (event.kind == .shotCut) == (event.faceID == nil) else {
                throw table.problem("face_id does not fit the kind")
            }
            guard events.count < limit else {
                throw table.problem("is one of more than \(limit) events, too many \(purpose)")
            }
            events.append(event)
        }
        return events
    }

    /// `nil` unless the text is a word or a number.
    private static func valid(_ text: String) -> String? {
        let isWord = text.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == 0x5F }
        let isNumber = Double(text).map(ReadLimits.seconds.contains) == true
        return text.utf8.count <= 32 && (isWord || isNumber) ? text : nil
    }
}
