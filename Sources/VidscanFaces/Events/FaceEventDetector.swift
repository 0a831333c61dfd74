/// Finds the episodes of one face, with their events. An episode lasts from the sample that crosses its threshold to the one that crosses
/// back, or to the last known sample before a gap that is too long for `EventOptions` to bridge.
package struct FaceEventDetector: Sendable {
    /// `nil` where a measure is missing.
    package struct Measurement: Sendable {
        /// Of `EyeClosureFilter`, 0…100.
        package var eyeOpenness: Double?
        package var hasOneEye: Bool
        /// 0…100, relative to the face at rest.
        package var smile: Double?
        /// Between the head's direction and the camera.
        package var turnDegrees: Double?
        package var yaw, pitch: Double?
        /// How likely the face speaks, in halves of a percent, 25 times per second from this sample on; 255 without sound.
        package var speech: [UInt8]

        package init(
            eyeOpenness: Double?, hasOneEye: Bool = false, smile: Double?, turnDegrees: Double?, yaw: Double? = nil,
            pitch: Double? = nil, speech: [UInt8] = []
        ) {
            (self.eyeOpenness, self.hasOneEye, self.yaw, self.pitch) = (eyeOpenness, hasOneEye, yaw, pitch)
            (self.smile, self.turnDegrees, self.speech) = (smile, turnDegrees, speech)
        }
    }

    private typealias Period = MeasuredState.Period

    private let faceID: Int
    private let options: EventOptions
    private let detectsBlinks: Bool
    private var closure, smile, away: MeasuredState
    private var gestures: HeadGestureDetector
    private var speech = MeasuredState(entersAbove: 49.75, leavesBelow: 40, holdSeconds: 0.2)  // 50, in halves

    package init(faceID: Int, options: EventOptions, detectsBlinks: Bool) {
        (self.faceID, self.options, self.detectsBlinks) = (faceID, options, detectsBlinks)
        gestures = HeadGestureDetector(faceID: faceID)
        closure = MeasuredState(
            entersAbove: 100 - options.eyesClosedBelow, leavesBelow: 100 - options.eyesOpenAbove,
            oneSidedMargin: EventOptions.oneEyeMargin)
        smile = MeasuredState(
            entersAbove: options.smileStartsAbove, leavesBelow: options.smileStopsBelow,
            holdSeconds: options.smileHoldSeconds)
        away = MeasuredState(
            entersAbove: options.lookAwayAboveDegrees, leavesBelow: options.lookBackBelowDegrees,
            holdSeconds: options.lookAwayHoldSeconds)
    }

    /// Adds a later sample, which stands for `seconds`; those in between do not show the face. Returns the episodes that have ended.
    package mutating func update(
        _ measurement: Measurement, at microseconds: Int64, seconds: Double, sample: Int
    ) -> [ObservedEpisode] {
        observed(
            closure: closure.update(
                measurement.eyeOpenness.map { 100 - $0 }, isOneSided: measurement.hasOneEye, at: microseconds,
                seconds: seconds, sample: sample),
            smile: smile.update(measurement.smile, at: microseconds, seconds: seconds, sample: sample),
            away: away.update(measurement.turnDegrees, at: microseconds, seconds: seconds, sample: sample))
            + spoken(measurement.speech, at: microseconds)
            + (detectsBlinks ? gestures.update(yaw: measurement.yaw, pitch: measurement.pitch, at: microseconds) : [])
            .map { ObservedEpisode($0) }
    }

    /// Ends the open episodes of a face that is out of sight, at the last sample in which each was measured.
    package mutating func finish() -> [ObservedEpisode] {
        observed(closure: closure.interrupt(), smile: smile.interrupt(), away: away.interrupt())
            + (speech.interrupt().map { [observed(.speaks, $0, [])] } ?? [])
            + gestures.finish().map { ObservedEpisode($0) }
    }

    /// The ticks of speech lie at whole multiples of 40 ms.
    private mutating func spoken(_ ticks: [UInt8], at microseconds: Int64) -> [ObservedEpisode] {
        zip(SpeechTick.first(from: microseconds)..., ticks).compactMap { tick, value in
            guard value != SpeechTick.unknown else { return speech.interrupt() }
            return speech.update(
                Double(value) / 2, at: Int64(tick) * SpeechTick.microseconds, seconds: SpeechTick.seconds, sample: tick)
        }.map { observed(.speaks, $0, []) }
    }

    private func observed(closure: Period?, smile: Period?, away: Period?) -> [ObservedEpisode] {
        [closure.flatMap(closed), smile.map(smiled), away.map { observed(.lookAway, $0, [event(.lookAway, $0)]) }]
            .compactMap { $0 }
    }

    /// A short closure is a blink, even if only a part of it was seen, but a single last sample may be an error of the mesh.
    private func closed(_ period: Period) -> ObservedEpisode? {
        if period.seconds > options.blinkLongestSeconds {
            return observed(.eyesClosed, period, [event(.eyesClosed, period, hasEyes: true)])
        }
        guard detectsBlinks, period.seconds > 0 else { return nil }
        return observed(.blink, period, [event(.blink, period, hasEyes: true)])
    }

    private func smiled(_ period: Period) -> ObservedEpisode {
        let (begin, value) = (period.onset.microseconds, FaceEvent.Value.number(period.onset.value))
        let started = FaceEvent(microseconds: begin, kind: .smileStarted, faceID: faceID, value: value)
        var stopped = event(.smileStopped, period)
        stopped.microseconds = period.endMicroseconds
        return observed(.smile, period, [started, stopped])
    }

    private func observed(_ kind: Episode.Kind, _ period: Period, _ events: [FaceEvent]) -> ObservedEpisode {
        ObservedEpisode(Episode(kind, period, faceID: faceID), events: events)
    }

    /// - Parameter hasEyes: Whether the measure can come from one eye alone.
    private func event(_ kind: FaceEvent.Kind, _ period: Period, hasEyes: Bool = false) -> FaceEvent {
        FaceEvent(
            microseconds: period.onset.microseconds, kind: kind, faceID: faceID, value: .number(period.seconds),
            measuredFraction: period.measuredFraction, isComplete: period.hasOnset && period.hasOffset,
            oneEyeFraction: hasEyes ? period.oneSidedFraction : nil)
    }
}

package struct OffScreenVoiceDetector: Sendable {
    /// While one of the faces may be speaking, no episode begins, but one that has begun goes on.
    private var voice = MeasuredState(entersAbove: 50, leavesBelow: 30, holdSeconds: 0.3, oneSidedMargin: .infinity)

    package init() {}

    /// Adds a later sample, which stands for `seconds`. Missing sound ends an episode. Returns the episode that has ended.
    ///
    /// - Parameters:
    ///   - voice: How likely somebody speaks, 0…100; `nil` without sound.
    ///   - speaking: How likely each face in sight speaks, 0…100. If one is unknown, it is unknown whose voice it is.
    package mutating func update(
        voice likelihood: Double?, speaking: [Double?], at microseconds: Int64, seconds: Double, sample: Int
    ) -> ObservedEpisode? {
        guard let likelihood else { return finish() }
        let highest = speaking.compactMap(\.self).max() ?? 0
        let value = highest >= 50 ? 0 : speaking.contains(nil) ? nil : likelihood
        return voice.update(value, isOneSided: highest >= 25, at: microseconds, seconds: seconds, sample: sample)
            .map { ObservedEpisode(Episode(.voiceOffScreen, $0)) }
    }

    /// At the end of the video, or where something may be missing.
    package mutating func finish() -> ObservedEpisode? {
        voice.interrupt().map { ObservedEpisode(Episode(.voiceOffScreen, $0)) }
    }
}

package struct MutualGazeDetector: Sendable {
    private struct Pair: Hashable { let first, second: Int }

    private var pairs: [Pair: MeasuredState] = [:]
    private var previous: (targets: [Int: Int], microseconds: Int64, sample: Int)?

    package init() {}

    /// Adds a later sample, which stands for `seconds`. Returns the episodes that have ended.
    ///
    /// - Parameter targets: By person, whom each one in sight looks at: a person, or 0 for anybody or anything else.
    ///   People whose gaze is unknown are missing.
    package mutating func update(
        _ targets: [Int: Int], at microseconds: Int64, seconds: Double, sample: Int
    ) -> [ObservedEpisode] {
        for (person, other) in targets where person < other && targets[other] == person {
            let pair = Pair(first: person, second: other)
            guard pairs[pair] == nil else { continue }
            var state = MeasuredState(entersAbove: 0.5, leavesBelow: 0.5, holdSeconds: 0.3)
            if let previous, previous.targets[person] != nil, previous.targets[other] != nil {
                _ = state.update(0, at: previous.microseconds, seconds: 0, sample: previous.sample)
            }
            pairs[pair] = state
        }
        previous = (targets, microseconds, sample)
        return sorted.compactMap { pair in
            guard let a = targets[pair.first], let b = targets[pair.second] else { return nil }
            return pairs[pair]?.update(
                a == pair.second && b == pair.first ? 1 : 0, at: microseconds, seconds: seconds, sample: sample
            ).map { Self.observed(pair, $0) }
        }
    }

    /// At the end of the video, or where something may be missing.
    package mutating func finish() -> [ObservedEpisode] {
        previous = nil
        return sorted.compactMap { pair in pairs[pair]?.interrupt().map { Self.observed(pair, $0) } }
    }

    private var sorted: [Pair] { pairs.keys.sorted { ($0.first, $0.second) < ($1.first, $1.second) } }

    private static func observed(_ pair: Pair, _ period: MeasuredState.Period) -> ObservedEpisode {
        var episode = Episode(.mutualGaze, period)
        (episode.personID, episode.otherPersonIDs) = (pair.first, [pair.second])
        (episode.peak, episode.peakMicroseconds, episode.mean) = (nil, nil, nil)
        return ObservedEpisode(episode)
    }
}

extension Episode {
    fileprivate init(_ kind: Kind, _ period: MeasuredState.Period, faceID: Int? = nil) {
        self.init(
            kind: kind, faceID: faceID, startMicroseconds: period.onset.microseconds,
            endMicroseconds: period.endMicroseconds, isStartSeen: period.hasOnset, isEndSeen: period.hasOffset,
            peak: period.peak.value, peakMicroseconds: period.peak.microseconds, mean: period.mean,
            measuredSeconds: period.measuredSeconds)
    }
}

/// Who speaks is known 25 times per second, at whole multiples of 40 ms.
package enum SpeechTick {
    package static let microseconds: Int64 = 40_000, seconds = 0.04
    /// Stands for a tick without sound.
    package static let unknown: UInt8 = 255

    /// The number of the first tick at a time or after it.
    package static func first(from time: Int64) -> Int { Int((time + microseconds - 1) / microseconds) }

    /// The number of the last tick at a time, which is rounded to microseconds, or before it.
    package static func containing(_ time: Int64) -> Int { Int((time + 1) / microseconds) }
}
