internal import VidscanFaces

/// Collects the episodes of a video with their events. Ids follow the order of time, so they are known only at the end.
struct EpisodeList {
    private var observed: [ObservedEpisode] = []

    mutating func add(_ episode: ObservedEpisode) { observed.append(episode) }

    /// Returns the episodes with their ids, in the order of these, and all events in time order.
    func finish() -> (episodes: [Episode], events: [FaceEvent]) {
        var sorted = observed.sorted { Episode.precedes($0.episode, $1.episode) }
        Self.nameOthers(in: &sorted)
        for index in sorted.indices {
            sorted[index].episode.id = index + 1
            for event in sorted[index].events.indices { sorted[index].events[event].episode = index + 1 }
        }
        return (sorted.map(\.episode), sorted.flatMap(\.events).sorted(by: FaceEvent.precedes))
    }

    /// Names, in each episode of speech, other people who speak at the same time.
    private static func nameOthers(in sorted: inout [ObservedEpisode]) {
        var speaking: [Int] = []
        for index in sorted.indices where sorted[index].episode.kind == .speaks {
            let episode = sorted[index].episode
            speaking.removeAll { sorted[$0].episode.endMicroseconds <= episode.startMicroseconds }
            for other in speaking {
                guard let a = episode.personID, let b = sorted[other].episode.personID, a != b else { continue }
                sorted[index].episode.otherPersonIDs.append(b)
                sorted[other].episode.otherPersonIDs.append(a)
            }
            speaking.append(index)
        }
        for index in sorted.indices where sorted[index].episode.otherPersonIDs.count > 1 {
            sorted[index].episode.otherPersonIDs = Set(sorted[index].episode.otherPersonIDs).sorted()
        }
    }
}
