package import VidscanBase
package import VidscanFaces

package struct SampleTimes: Sendable {
    /// Ascending.
    package private(set) var microseconds: [Int64] = []
    /// The index of each sample's frame among all frames of the video.
    package private(set) var frames: [Int] = []
    /// How likely somebody speaks, 0…100; `nil` where that is not known.
    package private(set) var voices: [Double?] = []
    package var count: Int { microseconds.count }
    /// In seconds; 0 without samples.
    package var range: ClosedRange<Double> {
        Double(microseconds.first ?? 0) / 1e6...Double(microseconds.last ?? 0) / 1e6
    }
    /// In seconds, without what a correction excludes and other gaps.
    package var interval: Double { RegularClock.interval(of: microseconds) / 1e6 }

    package init(folder: String, mayBeEmpty: Bool) throws(VidscanError) {
        let table = try TableReader(folder: folder, name: "frames.csv")
        let (time, frame, voice) = (try table.column("time"), try table.column("frame"), table.optionalColumn("voice"))
        while try table.next() {
            let next = try table.microseconds(time)
            guard next >= microseconds.last ?? next else { throw table.problem("time goes back") }
            microseconds.append(next)
            frames.append(try table.count(frame))
            voices.append(try table.optionalNumber(voice, in: 0...100))
        }
        guard mayBeEmpty || !microseconds.isEmpty else { throw table.problem("has no sample") }
    }
}

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

    /// `purpose`: for what more than `limit` events are too many. `requiresFaces`: cuts have no face, all others one.
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
                measured: measured.flatMap(table.text), episode: try table.optionalInteger(episode, in: ReadLimits.ids))
            try table.require(event.microseconds >= events.last?.microseconds ?? event.microseconds, "time goes back")
            try table.require(
                !requiresFaces || (event.kind == .shotCut) == (event.faceID == nil), "face_id does not fit the kind")
            try table.require(events.count < limit, "is one of more than \(limit) events, too many \(purpose)")
            events.append(event)
        }
        return events
    }

    private static func valid(_ text: String) -> String? {
        let isWord = text.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == 0x5F }
        return text.utf8.count <= 32 && (isWord || Double(text).map(ReadLimits.seconds.contains) == true) ? text : nil
    }
}

extension QualityRow {
    /// Reads `quality.csv`: no rows if there is none, as in results of earlier versions.
    package static func read(_ folder: String) throws(VidscanError) -> [QualityRow] {
        guard FileSystem.entry("\(folder)/\(QualityTable.file)") != nil else { return [] }
        let table = try TableReader(folder: folder, name: QualityTable.file)
        let (id, visible) = (try table.column("person_id"), try table.column("seconds_visible"))
        func cell(_ name: String, _ range: ClosedRange<Double> = ReadLimits.durations) throws(VidscanError) -> Double? {
            try table.optionalNumber(table.optionalColumn(name), in: range)
        }
        var rows: [QualityRow] = []
        while try table.next() {
            var row = QualityRow(personID: try table.integer(id, in: ReadLimits.ids))
            row.visibleSeconds = try table.number(visible, in: ReadLimits.durations)
            row.measuredSeconds = try cell("measured_seconds")
            row.oneSideSeconds = try cell("one_side_seconds") ?? 0
            row.halfCoveredSeconds = try cell("half_covered_seconds") ?? 0
            for reason in BlankReason.allCases { row.blankSeconds[reason] = try cell("\(reason.rawValue)_seconds") }
            row.medianWidth = try cell("median_width", ReadLimits.extents)
            row.medianYaw = try cell("median_yaw", HeadPose.yaws)
            row.medianBrightness = try cell("median_brightness", 0...100)
            rows.append(row)
        }
        return rows
    }
}

extension Episode {
    /// Reads `episodes.csv`. Throws if the result has none, or if more than `limit` episodes are too many for a `purpose`.
    package static func read(_ folder: String, limit: Int, purpose: String) throws(VidscanError) -> [Episode] {
        guard FileSystem.entry("\(folder)/\(EpisodeTable.file)") != nil else {
            throw .result(
                "has no \(EpisodeTable.file): an earlier version analysed the video; analyse it again", input: folder)
        }
        let table = try TableReader(folder: folder, name: EpisodeTable.file)
        let (id, kind) = (try table.column("episode"), try table.column("kind"))
        let (person, face) = (try table.column("person_id"), try table.column("face_id"))
        let (start, end) = (try table.column("start"), try table.column("end"))
        let (startSeen, endSeen) = (try table.column("start_seen"), try table.column("end_seen"))
        let (peak, peakTime, mean) = (try table.column("peak"), try table.column("peak_time"), try table.column("mean"))
        let (measured, others) = (try table.column("measured_seconds"), try table.column("with"))
        var episodes: [Episode] = []
        while try table.next() {
            var episode = Episode(
                kind: try table.value(kind, Kind.init(rawValue:)),
                personID: try table.optionalInteger(person, in: ReadLimits.ids),
                faceID: try table.optionalInteger(face, in: ReadLimits.ids),
                startMicroseconds: try table.microseconds(start), endMicroseconds: try table.microseconds(end),
                isStartSeen: try table.integer(startSeen, in: 0...1) == 1,
                isEndSeen: try table.integer(endSeen, in: 0...1) == 1,
                peak: try table.optionalNumber(peak, in: ReadLimits.seconds),
                mean: try table.optionalNumber(mean, in: ReadLimits.seconds),
                measuredSeconds: try table.number(measured, in: ReadLimits.durations),
                otherPersonIDs: try table.text(others) == nil ? [] : table.value(others, ids))
            episode.id = try table.integer(id, in: ReadLimits.ids)
            if table.text(peakTime) != nil { episode.peakMicroseconds = try table.microseconds(peakTime) }
            try table.require(episode.endMicroseconds >= episode.startMicroseconds, "end is before start")
            try table.require(
                episode.startMicroseconds >= episodes.last?.startMicroseconds ?? episode.startMicroseconds,
                "start goes back")
            try table.require(episodes.count < limit, "is one of more than \(limit) episodes, too many \(purpose)")
            episodes.append(episode)
        }
        return episodes
    }

    private static func ids(_ text: String) -> [Int]? {
        let ids = text.split(separator: " ", omittingEmptySubsequences: false).map { Int($0) }
        return ids.contains { $0.map(ReadLimits.ids.contains) != true } ? nil : ids.compactMap { $0 }
    }
}
