public import VidscanFaces

/// The complete result of an analysis.
public struct VideoAnalysis: Sendable {
    /// What the container announces about the video.
    public let info: VideoInfo
    /// All sampled frames in time order, also those without a face.
    public let frames: [VideoFrame]
    let summary: VideoSummary

    /// The faces over time, by ascending `id`.
    public var tracks: [Track] { summary.tracks }
    /// The people, by ascending `id`.
    public var people: [Person] { summary.people }
    /// Events in time order.
    public var events: [FaceEvent] { summary.events }
    /// What the events begin and end, by ascending `id`.
    public var episodes: [Episode] { summary.episodes }
    /// Problems with the file that may affect the values: damage, jumping timestamps, an early end.
    public var warnings: [String] { summary.warnings }
    /// Limits that follow from the settings, such as a rate at which blinks cannot be seen.
    public var notices: [String] { summary.notices }
}

/// The result of an analysis without the frames.
public struct VideoSummary: Sendable {
    /// The faces over time, by ascending `id`.
    public internal(set) var tracks: [Track] = []
    /// Events in time order.
    public internal(set) var events: [FaceEvent] = []
    /// What the events begin and end, by ascending `id`.
    public internal(set) var episodes: [Episode] = []
    /// See `VideoAnalysis.warnings`.
    public internal(set) var warnings: [String] = []
    /// See `VideoAnalysis.notices`.
    public internal(set) var notices: [String] = []

    /// The people, by ascending `id`.
    public var people: [Person] {
        Dictionary(grouping: tracks.filter { $0.personID != nil }) { $0.personID ?? 0 }
            .map { Person(id: $0.key, trackIDs: $0.value.map(\.id)) }
            .sorted { $0.id < $1.id }
    }
}

/// Faces that were recognised as the same person, which says nothing about who it is.
public struct Person: Sendable, Identifiable, Equatable {
    /// The `person_id` of the tables, from 1.
    public let id: Int
    /// The faces of this person, in ascending order.
    public let trackIDs: [Int]
}

extension FaceEvent {
    /// The beginning, in seconds on the video's clock.
    public var seconds: Double { Double(microseconds) / 1e6 }

    /// The duration of a blink, eye closure, ended smile or look away, in seconds; otherwise `nil`.
    public var durationSeconds: Double? {
        let hasDuration = [.blink, .eyesClosed, .smileStopped, .lookAway].contains(kind)
        if hasDuration, case .number(let seconds) = value { return seconds }
        return nil
    }
}
