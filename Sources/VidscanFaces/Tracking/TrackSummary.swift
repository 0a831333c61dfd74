public import VidscanBase

/// What is remembered of a track once its faces are spooled.
public struct TrackSummary: Sendable {
    /// As the tracker numbered it.
    public let trackID: Int
    public private(set) var firstSeconds: Double
    public private(set) var lastSeconds: Double
    public private(set) var firstSample: Int
    public private(set) var lastSample: Int
    /// Samples in which it was seen.
    public private(set) var samples = 0
    /// Number of the shot of its first sample.
    public let shot: Int
    /// How many times the file's timestamps have jumped before it. No track goes on across a jump.
    public let epoch: Int
    public private(set) var lastBox: Rectangle
    /// Pixels a second, over its last two samples.
    public private(set) var lastVelocity = Point(x: 0, y: 0)
    /// Sum over samples of the share of the picture's shorter side that the face takes.
    public private(set) var prominence = 0.0
    public private(set) var bestConfidence = 0.0
    /// Largest weight of a sample.
    public private(set) var bestWeight = 0.0
    private var confidenceSum = 0.0
    public var meanConfidence: Double { confidenceSum / Double(max(samples, 1)) }
    /// From the best samples.
    public private(set) var profile = IdentityProfile()
    /// Looks at its beginning and its end, for what happens just before or after.
    public let pictureSize: PictureSize

    public init(
        trackID: Int, trackedDetection: TrackedDetection, seconds: Double, sample: Int, shot: Int, epoch: Int = 0,
        pictureSize: PictureSize
    ) {
        self.trackID = trackID
        self.shot = shot
        self.epoch = epoch
        self.pictureSize = pictureSize
        firstSeconds = seconds
        lastSeconds = seconds
        firstSample = sample
        lastSample = sample
        lastBox = trackedDetection.box
    }

    /// - Parameter weight: how much its look counts: high for faces that are large, frontal and surely seen.
    public mutating func add(_ trackedDetection: TrackedDetection, weight: Double, seconds: Double, sample: Int) {
        if samples > 0, seconds > lastSeconds {
            let (from, to) = (lastBox.center, trackedDetection.box.center)
            let elapsed = seconds - lastSeconds
            lastVelocity = Point(x: (to.x - from.x) / elapsed, y: (to.y - from.y) / elapsed)
        }
        samples += 1
        lastSeconds = seconds
        lastSample = sample
        lastBox = trackedDetection.box
        confidenceSum += trackedDetection.confidence
        bestWeight = max(bestWeight, weight)
        bestConfidence = max(bestConfidence, trackedDetection.confidence)
        prominence += trackedDetection.box.size / Double(max(pictureSize.shortSide, 1))
        profile.add(trackedDetection, weight: Float(weight))
    }

    /// Whether the face was at the picture's edge, or on its way out, when it was last seen.
    ///
    /// - Parameter interval: seconds between samples.
    public func hasLeft(interval: Double) -> Bool {
        let (width, height) = (Double(pictureSize.width), Double(pictureSize.height))
        let next = lastBox.offset(dx: lastVelocity.x * interval, dy: lastVelocity.y * interval)
        return [lastBox, next].contains { box in
            let margin = 0.1 * box.size
            return box.x < margin || box.y < margin || box.x + box.width > width - margin
                || box.y + box.height > height - margin
        }
    }
}
