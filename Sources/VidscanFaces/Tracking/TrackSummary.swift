public import VidscanBase

/// The data of a track that stays in memory after its faces are written to the intermediate file.
public struct TrackSummary: Sendable {
    /// A chip of the track's face.
    public struct Chip: Sendable {
        /// The time of the sample.
        public let seconds: Double
        /// The weight of the sample.
        public let weight: Double
        /// Where the intermediate file has the chip.
        public let offset: Int
        /// `nil` until it is computed, and for a chip that does not show the face clearly.
        public var embedding: FaceEmbedding?

        public init(seconds: Double, weight: Double, offset: Int, embedding: FaceEmbedding? = nil) {
            self.seconds = seconds
            self.weight = weight
            self.offset = offset
            self.embedding = embedding
        }
    }

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
    /// The chips of the samples with the highest weights, at most five, the highest first.
    public private(set) var chips: [Chip] = []
    /// The embeddings of the chips that have one, in the same order.
    public var embeddings: [FaceEmbedding] { chips.compactMap(\.embedding) }
    private static let maximumChips = 5
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
    }

    /// Adds the chip of a sample, if it is one of the best.
    public mutating func add(_ chip: Chip) {
        // Of equal weights, the earlier sample stays first.
        let place = chips.firstIndex { $0.weight < chip.weight } ?? chips.count
        chips.insert(chip, at: place)
        if chips.count > Self.maximumChips { chips.removeLast() }
    }

    /// Sets the embedding of a chip.
    public mutating func setEmbedding(_ embedding: FaceEmbedding?, ofChip chip: Int) {
        chips[chip].embedding = embedding
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
