internal import VidscanFaces

/// Collects the episodes of a video with their events. Ids follow the order of time, so they are known only at the end.
struct EpisodeList {
    private var observed: [ObservedEpisode] = []

    mutating func add(_ episode: ObservedEpisode) { observed.append(episode) }

    /// Returns the episodes with their ids, in the order of these, and all events in time order.
    func finish() -> (episodes: [Episode], events: [FaceEvent]) {
        var sorted = observed.sorted { Episode.precedes($0.episode, $1.episode) }
        for index in sorted.indices {
            sorted[index].episode.id = index + 1
            for event in sorted[index].events.indices { sorted[index].events[event].episode = index + 1 }
        }
        return (sorted.map(\.episode), sorted.flatMap(\.events).sorted(by: FaceEvent.precedes))
    }
}
