public import VidscanBase

/// The data of a track that stays in memory after its faces are written to the intermediate file.
public struct TrackSummary: Sendable {
    /// The number that the tracker assigned.
    public let trackID: Int
    public private(set) var firstSeconds: Double
    public private(set) var lastSeconds: Double
    public private(set) var firstSample: Int
    public private(set) var lastSample: Int
    /// The number of samples in which the face was seen.
    public private(set) var samples = 0
    /// The number of the shot that contains the first sample.
    public let shot: Int
    /// The number of timestamp jumps before the track. No track continues across a jump.
    public let epoch: Int
    public private(set) var firstBox: Rectangle
    public private(set) var lastBox: Rectangle
    /// The velocity over the last two samples, in pixels per second.
    public private(set) var lastVelocity = Point(x: 0, y: 0)
    /// The sum over samples of the face's size as a fraction of the frame's shorter side.
    public private(set) var prominence = 0.0
    public private(set) var bestConfidence = 0.0
    /// The maximum weight of a sample.
    public private(set) var bestWeight = 0.0
    private var confidenceSum = 0.0
    public var meanConfidence: Double { confidenceSum / Double(max(samples, 1)) }
    /// The person's profile, averaged over the samples by weight.
    public private(set) var profile = IdentityProfile()
    /// The embedding of one sample.
    public struct EmbeddedSample: Sendable {
        public let seconds: Double
        public let weight: Double
        public let embedding: FaceEmbedding
    }
    /// The samples with embeddings that have the highest weights, at most five, the highest first.
    public private(set) var embeddedSamples: [EmbeddedSample] = []
    public var embeddings: [FaceEmbedding] { embeddedSamples.map(\.embedding) }
    private static let maximumEmbeddings = 5
    /// The size of the frames in display space.
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
        firstBox = trackedDetection.box
        lastBox = trackedDetection.box
    }

    /// Adds a sample to the track.
    ///
    /// - Parameters:
    ///   - trackedDetection: The detection in the sample.
    ///   - weight: The weight of its appearance, which is high for faces that are large, frontal and detected with high
    ///     confidence.
    ///   - seconds: The time of the sample.
    ///   - sample: The number of the sample.
    public mutating func add(_ trackedDetection: TrackedDetection, weight: Double, seconds: Double, sample: Int) {
        if samples > 0, seconds > lastSeconds {
            let (from, to) = (lastBox.center, trackedDetection.box.center)
            let elapsed = seconds - lastSeconds
            lastVelocity = Point(x: (to.x - from.x) / elapsed, y: (to.y - from.y) / elapsed)
        }
        if samples == 0 { firstBox = trackedDetection.box }
        samples += 1
        lastSeconds = seconds
        lastSample = sample
        lastBox = trackedDetection.box
        confidenceSum += trackedDetection.confidence
        bestWeight = max(bestWeight, weight)
        bestConfidence = max(bestConfidence, trackedDetection.confidence)
        prominence += trackedDetection.box.size / Double(max(pictureSize.shortSide, 1))
        profile.add(trackedDetection, weight: Float(weight))
        if let embedding = trackedDetection.embedding {
            add(EmbeddedSample(seconds: seconds, weight: weight, embedding: embedding))
        }
    }

    private mutating func add(_ sample: EmbeddedSample) {
        // Of equal weights, the earlier sample stays first.
        let place = embeddedSamples.firstIndex { $0.weight < sample.weight } ?? embeddedSamples.count
        embeddedSamples.insert(sample, at: place)
        if embeddedSamples.count > Self.maximumEmbeddings { embeddedSamples.removeLast() }
    }

    /// Returns whether the face was at the frame's edge, or moving out of the frame, when it was last seen.
    ///
    /// - Parameter interval: The time between samples in seconds.
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
