internal import VidscanBase
internal import VidscanFaces
internal import VidscanResults

/// The annotations of a result: the episodes of `episodes.csv`, with what `events.csv` says of their moments.
struct EpisodeTimeline: Sendable, Equatable {
    /// In order of time, none before 0.
    private(set) var annotations: [Annotation] = []
    /// The end of the video, or of its analysed part, in microseconds; no annotation ends later.
    private(set) var end: Int64

    /// Both are in order of time. `duration` is that of the video in microseconds, if it is known and all of the video was
    /// analysed.
    init(episodes: [Episode], events: [StoredEvent], samples: SampleTimes, duration: Int64?) {
        // A sample stands for the time until the next one.
        let interval = max(samples.wholeInterval, Self.shortest)
        let lastSample = samples.microseconds.last ?? 0
        let lastEnd = episodes.map(\.endMicroseconds).max() ?? 0
        end = max(duration ?? lastSample + interval, lastSample, lastEnd, Self.shortest)
        let facts = Dictionary(grouping: events.filter { $0.episode != nil }) { $0.episode ?? 0 }
        let shots = episodes.filter { $0.kind == .shot }
        let numbers = Dictionary(shots.enumerated().map { ($1.id, $0 + 1) }) { first, _ in first }
        for var episode in episodes {
            if episode.id == shots.last?.id {
                episode.endMicroseconds = end
            } else if episode.endMicroseconds == episode.startMicroseconds, episode.kind != .shot {
                // A face seen in only one sample lasts until the next sample.
                episode.endMicroseconds = min(episode.endMicroseconds + interval, end)
            }
            if episode.startMicroseconds < 0 { (episode.startMicroseconds, episode.isStartSeen) = (0, false) }
            guard episode.endMicroseconds > episode.startMicroseconds else { continue }
            let own = facts[episode.id] ?? []
            annotations.append(
                Annotation(
                    episode: episode, value: own.first { $0.kind.tellsMore }?.value,
                    measured: own.compactMap(\.measured).first, shot: numbers[episode.id]))
        }
        annotations.sort(by: Annotation.precedes)
    }

    /// One millisecond, the unit of ELAN and WebVTT.
    private static let shortest: Int64 = 1000
}

extension FaceEvent.Kind {
    /// Whether its value is more than how long the episode lasted.
    fileprivate var tellsMore: Bool {
        switch self {
        case .shotCut, .faceStopped, .smileStarted: true
        case .faceStarted, .blink, .eyesClosed, .smileStopped, .lookAway: false
        }
    }
}

extension SampleTimes {
    /// On average, in whole microseconds.
    var wholeInterval: Int64 {
        guard count > 1, let first = microseconds.first, let last = microseconds.last else { return 0 }
        return (last - first) / Int64(count - 1)
    }
}
