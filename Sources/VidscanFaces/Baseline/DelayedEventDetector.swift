/// Finds the events of one face, with a delay that the eyes need.
public struct DelayedEventDetector: Sendable {
    private var detector: FaceEventDetector
    private var closure: EyeClosureFilter
    /// The measurements whose eyes are not known yet.
    private var pending: [(measurement: FaceEventDetector.Measurement, microseconds: Int64, sample: Int)] = []

    /// - Parameters: as those of `FaceEventDetector`.
    public init(faceID: Int, options: EventOptions, detectsBlinks: Bool) {
        detector = FaceEventDetector(faceID: faceID, options: options, detectsBlinks: detectsBlinks)
        closure = EyeClosureFilter(longestBlinkSeconds: options.blinkLongestSeconds)
    }

    /// Adds the next sample.
    ///
    /// - Parameters:
    ///   - measurement: The measurement, whose eyes are ignored.
    ///   - eyes: The eyes; `nil` if none could be measured.
    ///   - sample: The sample's number among all samples of the video.
    /// - Returns: The events that are now complete, which may have ended in earlier samples.
    public mutating func update(
        _ measurement: FaceEventDetector.Measurement, eyes: EyeClosureFilter.Sample?, at microseconds: Int64,
        sample: Int
    ) -> [FaceEvent] {
        pending.append((measurement, microseconds, sample))
        return update(closure.add(eyes, at: microseconds))
    }

    /// Ends the open events of a face that is no longer seen.
    public mutating func finish() -> [FaceEvent] {
        update(closure.finish()) + detector.finish()
    }

    private mutating func update(_ values: [Double?]) -> [FaceEvent] {
        var events: [FaceEvent] = []
        for (value, entry) in zip(values, pending) {
            var measurement = entry.measurement
            measurement.eyeOpenness = value
            events += detector.update(measurement, at: entry.microseconds, sample: entry.sample)
        }
        pending.removeFirst(values.count)
        return events
    }
}
