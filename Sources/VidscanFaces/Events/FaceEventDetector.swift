/// Finds the events of one face. An event lasts from the sample that crosses its threshold to the one that crosses
/// back, or to the last known sample before a gap that is too long for `EventOptions` to bridge.
public struct FaceEventDetector: Sendable {
    /// `nil` where a measure is missing.
    public struct Measurement: Sendable {
        /// Of `EyeClosureFilter`, 0…100.
        public var eyeOpenness: Double?
        public var hasOneEye: Bool
        /// 0…100, relative to the face at rest.
        public var smile: Double?
        /// Between the head's direction and the camera.
        public var turnDegrees: Double?

        public init(eyeOpenness: Double?, hasOneEye: Bool = false, smile: Double?, turnDegrees: Double?) {
            (self.eyeOpenness, self.hasOneEye) = (eyeOpenness, hasOneEye)
            (self.smile, self.turnDegrees) = (smile, turnDegrees)
        }
    }

    private let faceID: Int
    private let options: EventOptions
    private let detectsBlinks: Bool
    private var closure: MeasuredState
    private var smile: MeasuredState
    private var away: MeasuredState

    public init(faceID: Int, options: EventOptions, detectsBlinks: Bool) {
        (self.faceID, self.options, self.detectsBlinks) = (faceID, options, detectsBlinks)
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

    /// Adds a later sample; those in between do not show the face. Returns the events that are now complete.
    public mutating func update(_ measurement: Measurement, at microseconds: Int64, sample: Int) -> [FaceEvent] {
        var events: [FaceEvent] = []
        let openness = measurement.eyeOpenness.map { 100 - $0 }
        for change in closure.update(openness, isOneSided: measurement.hasOneEye, at: microseconds, sample: sample) {
            if case .ended(let period) = change { events += closed(period) }
        }
        for change in smile.update(measurement.smile, at: microseconds, sample: sample) {
            switch change {
            case .began(let onset):
                let (time, value) = (onset.microseconds, FaceEvent.Value.number(onset.value))
                events.append(FaceEvent(microseconds: time, kind: .smileStarted, faceID: faceID, value: value))
            case .ended(let period): events.append(smileStopped(period))
            }
        }
        for change in away.update(measurement.turnDegrees, at: microseconds, sample: sample) {
            if case .ended(let period) = change { events.append(event(.lookAway, period)) }
        }
        return events
    }

    /// Ends the open events of a face that is out of sight, at the last sample in which each was measured.
    public mutating func finish() -> [FaceEvent] {
        (closure.interrupt().map(closed) ?? []) + (smile.interrupt().map { [smileStopped($0)] } ?? [])
            + (away.interrupt().map { [event(.lookAway, $0)] } ?? [])
    }

    /// A short closure is a blink, even if only a part of it was seen, but a single last sample may be an error of the mesh.
    private func closed(_ period: MeasuredState.Period) -> [FaceEvent] {
        if period.seconds > options.blinkLongestSeconds { return [event(.eyesClosed, period, hasEyes: true)] }
        guard detectsBlinks, period.seconds > 0 else { return [] }
        return [event(.blink, period, hasEyes: true)]
    }

    private func smileStopped(_ period: MeasuredState.Period) -> FaceEvent {
        var event = event(.smileStopped, period)
        event.microseconds = period.endMicroseconds
        return event
    }

    /// - Parameter hasEyes: Whether the measure can come from one eye alone.
    private func event(_ kind: FaceEvent.Kind, _ period: MeasuredState.Period, hasEyes: Bool = false) -> FaceEvent {
        FaceEvent(
            microseconds: period.onset.microseconds, kind: kind, faceID: faceID, value: .number(period.seconds),
            measuredFraction: period.measuredFraction, isComplete: period.isComplete,
            oneEyeFraction: hasEyes ? period.oneSidedFraction : nil)
    }
}
