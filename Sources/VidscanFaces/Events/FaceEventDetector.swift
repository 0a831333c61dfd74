/// Finds the events of one face in its measurements, sample by sample.
public struct FaceEventDetector: Sendable {
    /// The measurements of a face at one time; `nil` where they are missing.
    public struct Measurement: Sendable {
        /// The openness of the eyes, 0…100, as of `EyeClosureFilter`.
        public var eyeOpenness: Double?
        /// The smile metric, 0…100, relative to the face at rest.
        public var smile: Double?
        /// The angle between the head's direction and the camera, in degrees.
        public var turnDegrees: Double?

        public init(eyeOpenness: Double?, smile: Double?, turnDegrees: Double?) {
            self.eyeOpenness = eyeOpenness
            self.smile = smile
            self.turnDegrees = turnDegrees
        }
    }

    private let faceID: Int
    private let options: EventOptions
    private let detectsBlinks: Bool
    private var closure: Hysteresis
    private var smile: Hysteresis
    private var away: Hysteresis
    private var lastMicroseconds: Int64?

    /// - Parameters:
    ///   - faceID: The number of the face, which its events carry.
    ///   - options: The thresholds.
    ///   - detectsBlinks: Whether the sampling rate is high enough to detect blinks.
    public init(faceID: Int, options: EventOptions, detectsBlinks: Bool) {
        self.faceID = faceID
        self.options = options
        self.detectsBlinks = detectsBlinks
        closure = Hysteresis(
            entersAbove: 100 - options.eyesClosedBelow, leavesBelow: 100 - options.eyesOpenAbove)
        smile = Hysteresis(
            entersAbove: options.smileStartsAbove, leavesBelow: options.smileStopsBelow,
            holdSeconds: options.smileHoldSeconds)
        away = Hysteresis(
            entersAbove: options.lookAwayAboveDegrees, leavesBelow: options.lookBackBelowDegrees,
            holdSeconds: options.lookAwayHoldSeconds)
    }

    /// Adds the measurement of the next sample.
    ///
    /// - Returns: The events that this measurement completes.
    public mutating func update(_ measurement: Measurement, at microseconds: Int64) -> [FaceEvent] {
        lastMicroseconds = microseconds
        var events: [FaceEvent] = []
        if let openness = measurement.eyeOpenness {
            if case .left(let start, let end) = closure.update(100 - openness, at: microseconds) {
                events += closed(from: start, to: end)
            }
        }
        if let value = measurement.smile {
            switch smile.update(value, at: microseconds) {
            case .entered(let start):
                events.append(event(.smileStarted, at: start, .number(value)))
            case .left(let start, let end):
                events.append(event(.smileStopped, at: end, .number(Double(end - start) / 1e6)))
            case nil: break
            }
        }
        if let degrees = measurement.turnDegrees,
            case .left(let start, let end) = away.update(degrees, at: microseconds)
        {
            events.append(event(.lookAway, at: start, .number(Double(end - start) / 1e6)))
        }
        return events
    }

    /// Ends the open events of a face that is no longer seen.
    public mutating func finish() -> [FaceEvent] {
        guard let end = lastMicroseconds else { return [] }
        var events: [FaceEvent] = []
        if let start = closure.enteredAt, Double(end - start) / 1e6 > options.blinkLongestSeconds {
            events += closed(from: start, to: end)
        }
        if let start = smile.enteredAt {
            events.append(event(.smileStopped, at: end, .number(Double(end - start) / 1e6)))
        }
        if let start = away.enteredAt {
            events.append(event(.lookAway, at: start, .number(Double(end - start) / 1e6)))
        }
        return events
    }

    private func closed(from start: Int64, to end: Int64) -> [FaceEvent] {
        let seconds = Double(end - start) / 1e6
        if seconds > options.blinkLongestSeconds { return [event(.eyesClosed, at: start, .number(seconds))] }
        return detectsBlinks ? [event(.blink, at: start, .number(seconds))] : []
    }

    private func event(_ kind: FaceEvent.Kind, at microseconds: Int64, _ value: FaceEvent.Value) -> FaceEvent {
        FaceEvent(microseconds: microseconds, kind: kind, faceID: faceID, value: value)
    }
}
