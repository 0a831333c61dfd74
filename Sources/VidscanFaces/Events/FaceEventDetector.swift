/// Finds the events of one face in its measurements, sample by sample.
///
/// An event lasts from the sample that crosses its threshold to the sample that crosses back. Where its measure is
/// missing for longer than `EventOptions` bridges, it ends at the last sample in which the measure is known.
public struct FaceEventDetector: Sendable {
    /// The measurements of a face at one time; `nil` where they are missing.
    public struct Measurement: Sendable {
        /// The openness of the eyes, 0…100, as of `EyeClosureFilter`.
        public var eyeOpenness: Double?
        /// Whether only one eye is measured.
        public var hasOneEye: Bool
        /// The smile metric, 0…100, relative to the face at rest.
        public var smile: Double?
        /// The angle between the head's direction and the camera, in degrees.
        public var turnDegrees: Double?

        public init(eyeOpenness: Double?, hasOneEye: Bool = false, smile: Double?, turnDegrees: Double?) {
            self.eyeOpenness = eyeOpenness
            self.hasOneEye = hasOneEye
            self.smile = smile
            self.turnDegrees = turnDegrees
        }
    }

    private let faceID: Int
    private let options: EventOptions
    private let detectsBlinks: Bool
    private var closure: MeasuredState
    private var smile: MeasuredState
    private var away: MeasuredState

    /// - Parameters:
    ///   - faceID: The number of the face, which its events carry.
    ///   - options: The thresholds.
    ///   - detectsBlinks: Whether the sampling rate is high enough to detect blinks.
    public init(faceID: Int, options: EventOptions, detectsBlinks: Bool) {
        self.faceID = faceID
        self.options = options
        self.detectsBlinks = detectsBlinks
        closure = MeasuredState(
            Hysteresis(entersAbove: 100 - options.eyesClosedBelow, leavesBelow: 100 - options.eyesOpenAbove),
            oneSidedMargin: EventOptions.oneEyeMargin)
        smile = MeasuredState(
            Hysteresis(
                entersAbove: options.smileStartsAbove, leavesBelow: options.smileStopsBelow,
                holdSeconds: options.smileHoldSeconds))
        away = MeasuredState(
            Hysteresis(
                entersAbove: options.lookAwayAboveDegrees, leavesBelow: options.lookBackBelowDegrees,
                holdSeconds: options.lookAwayHoldSeconds))
    }

    /// Adds the measurement of a sample that shows the face.
    ///
    /// - Parameters:
    ///   - microseconds: The time of the sample, not before that of the previous call.
    ///   - sample: The sample's number among all samples of the video. The samples between two calls do not show the
    ///     face, so nothing is measured in them.
    /// - Returns: The events that this measurement completes, or that an earlier gap ended.
    public mutating func update(_ measurement: Measurement, at microseconds: Int64, sample: Int) -> [FaceEvent] {
        var events: [FaceEvent] = []
        let openness = measurement.eyeOpenness.map { 100 - $0 }
        for change in closure.update(openness, isOneSided: measurement.hasOneEye, at: microseconds, sample: sample) {
            if case .ended(let period) = change { events += closed(period) }
        }
        for change in smile.update(measurement.smile, at: microseconds, sample: sample) {
            switch change {
            case .began(let onset): events.append(smileStarted(onset))
            case .ended(let period): events.append(smileStopped(period))
            }
        }
        for change in away.update(measurement.turnDegrees, at: microseconds, sample: sample) {
            if case .ended(let period) = change { events.append(lookedAway(period)) }
        }
        return events
    }

    /// Ends the open events of a face that is no longer seen, at the last sample in which each was measured.
    public mutating func finish() -> [FaceEvent] {
        (closure.interrupt().map(closed) ?? []) + (smile.interrupt().map { [smileStopped($0)] } ?? [])
            + (away.interrupt().map { [lookedAway($0)] } ?? [])
    }

    /// A short closure is a blink if it is seen to end. Each blink is counted where its end is seen, so that gaps do not
    /// change how many blinks there are per second in which the eyes are measured.
    private func closed(_ period: MeasuredState.Period) -> [FaceEvent] {
        if period.seconds > options.blinkLongestSeconds { return [event(.eyesClosed, period, hasEyes: true)] }
        guard detectsBlinks, period.hasOffset else { return [] }
        return [event(.blink, period, hasEyes: true)]
    }

    private func smileStarted(_ onset: MeasuredSample) -> FaceEvent {
        FaceEvent(microseconds: onset.microseconds, kind: .smileStarted, faceID: faceID, value: .number(onset.value))
    }

    private func smileStopped(_ period: MeasuredState.Period) -> FaceEvent {
        var event = event(.smileStopped, period)
        event.microseconds = period.endMicroseconds
        return event
    }

    private func lookedAway(_ period: MeasuredState.Period) -> FaceEvent { event(.lookAway, period) }

    /// - Parameter hasEyes: Whether the measure can come from one eye alone.
    private func event(
        _ kind: FaceEvent.Kind, _ period: MeasuredState.Period, hasEyes: Bool = false
    ) -> FaceEvent {
        FaceEvent(
            microseconds: period.onset.microseconds, kind: kind, faceID: faceID, value: .number(period.seconds),
            measuredShare: period.measuredShare, isComplete: period.isComplete,
            oneEyeShare: hasEyes ? period.oneSidedShare : nil)
    }
}
