package import VidscanBase
package import VidscanFaces

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
            guard episode.endMicroseconds >= episode.startMicroseconds else {
                throw table.problem("end is before start")
            }
            guard episode.startMicroseconds >= episodes.last?.startMicroseconds ?? episode.startMicroseconds else {
                throw table.problem("start goes back")
            }
            guard episodes.count < limit else {
                throw table.problem("is one of more than \(limit) episodes, too many \(purpose)")
            }
            episodes.append(episode)
        }
        return episodes
    }

    /// `nil` unless the text has ids with spaces between them.
    private static func ids(_ text: String) -> [Int]? {
        let ids = text.split(separator: " ", omittingEmptySubsequences: false).map { Int($0) }
        return ids.contains { $0.map(ReadLimits.ids.contains) != true } ? nil : ids.compactMap { $0 }
    }
}
