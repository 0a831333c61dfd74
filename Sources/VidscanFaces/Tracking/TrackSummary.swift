package import VidscanBase

/// What stays in memory of a track after its faces are written to the intermediate file.
package struct TrackSummary: Sendable {
    package struct Crop: Sendable {
        package let seconds, weight: Double
        /// In the intermediate file.
        package let offset: Int
        /// `nil` until computed, and for a crop that does not show the face clearly.
        package var embedding: FaceEmbedding?

        package init(seconds: Double, weight: Double, offset: Int, embedding: FaceEmbedding? = nil) {
            (self.seconds, self.weight, self.offset, self.embedding) = (seconds, weight, offset, embedding)
        }
    }

    package private(set) var firstSeconds, lastSeconds: Double
    package private(set) var firstSample, lastSample: Int
    package private(set) var samples = 0
    /// Shot of the first sample.
    package let shot: Int
    /// Number of timestamp jumps before the track. No track continues across a jump.
    package let epoch: Int
    private(set) var firstBox, lastBox: Rectangle
    /// Over the last two samples, in pixels per second.
    private var lastVelocity = Point.zero
    /// Sum over samples of the face's size as a fraction of the frame's shorter side.
    package private(set) var prominence = 0.0
    package private(set) var bestConfidence = 0.0, bestWeight = 0.0
    private var confidenceSum = 0.0
    package var meanConfidence: Double { confidenceSum / Double(max(samples, 1)) }
    /// Whether a sample differed from those before as much as somebody else might.
    package private(set) var hasChangedLook = false
    /// A difference of `IdentityProfile.Difference.portrait`.
    private static let otherLook = 0.1
    /// Averaged over the samples by weight.
    private(set) var profile = IdentityProfile()
    /// Of the samples with the highest weights that are not close together, at most five, the highest first.
    package var crops: [Crop] = []
    /// In the order of ``crops``.
    package var embeddings: [FaceEmbedding] { crops.compactMap(\.embedding) }
    private static let maximumCrops = 5
    /// In display space.
    package let pictureSize: PictureSize

    package init(
        detection: TrackedDetection, seconds: Double, sample: Int, shot: Int, epoch: Int = 0, pictureSize: PictureSize
    ) {
        (self.shot, self.epoch, self.pictureSize) = (shot, epoch, pictureSize)
        (firstSeconds, lastSeconds) = (seconds, seconds)
        (firstSample, lastSample) = (sample, sample)
        (firstBox, lastBox) = (detection.box, detection.box)
    }

    /// Adds a sample. Its weight is high for faces that are large, frontal and detected with high confidence.
    package mutating func add(_ detection: TrackedDetection, weight: Double, seconds: Double, sample: Int) {
        if samples > 0, seconds > lastSeconds {
            lastVelocity = (detection.box.center - lastBox.center) / (seconds - lastSeconds)
        }
        if samples == 0 { firstBox = detection.box }
        samples += 1
        (lastSeconds, lastSample, lastBox) = (seconds, sample, detection.box)
        confidenceSum += detection.confidence
        (bestWeight, bestConfidence) = (max(bestWeight, weight), max(bestConfidence, detection.confidence))
        prominence += detection.box.size / Double(max(pictureSize.shortSide, 1))
        hasChangedLook =
            hasChangedLook || (profile.difference(to: IdentityProfile(detection)).portrait ?? 0) > Self.otherLook
        profile.add(detection, weight: Float(weight))
    }

    package mutating func add(_ crop: Crop) {
        // Crops from all over the track show more sides of a person, and whether it is one.
        let spacing = (lastSeconds - firstSeconds) / Double(2 * Self.maximumCrops)
        if let near = crops.firstIndex(where: { abs($0.seconds - crop.seconds) < spacing }) {
            guard crops[near].weight < crop.weight else { return }
            crops.remove(at: near)
        }
        // Among equal weights, the earlier sample stays first.
        crops.insert(crop, at: crops.firstIndex { $0.weight < crop.weight } ?? crops.count)
        if crops.count > Self.maximumCrops { crops.removeLast() }
    }

    /// When the track continued on somebody else's face, in seconds: the crops before resemble each other, and so do those
    /// after, but not the two groups. `nil` if all seem to be one person.
    package var personChange: ClosedRange<Double>? {
        let crops = crops.filter { $0.embedding != nil }.sorted { $0.seconds < $1.seconds }
        let faces = crops.compactMap(\.embedding)
        func mean(_ pairs: [(FaceEmbedding, FaceEmbedding)]) -> Double? {
            pairs.isEmpty ? nil : pairs.reduce(0) { $0 + $1.0.distance(to: $1.1) } / Double(pairs.count)
        }
        func pairs(_ faces: ArraySlice<FaceEmbedding>) -> [(FaceEmbedding, FaceEmbedding)] {
            faces.indices.flatMap { second in faces[..<second].map { ($0, faces[second]) } }
        }
        let changes = faces.indices.dropFirst().compactMap { start -> (excess: Double, start: Int)? in
            let (before, after) = (faces[..<start], faces[start...])
            guard let across = mean(before.flatMap { one in after.map { (one, $0) } }) else { return nil }
            let within = [mean(pairs(before)), mean(pairs(after))].compactMap { $0 }.max()
            // A single picture may be a bad one.
            let isCertain = before.count > 1 && after.count > 1
            let limit = isCertain ? IdentityCalibration.betweenPeople : IdentityCalibration.surelyBetweenPeople
            let excess = across - max(limit, (within ?? 0) + IdentityCalibration.personChange)
            return excess > 0 ? (excess, start) : nil
        }
        // A crop may show a mixture of two faces that dissolve into each other.
        return changes.max { $0.excess < $1.excess }.map {
            crops[$0.start - 1].seconds - 0.5...crops[$0.start].seconds + 0.5
        }
    }

    func overlaps(_ other: TrackSummary) -> Bool {
        epoch == other.epoch && firstSample <= other.lastSample && other.firstSample <= lastSample
    }

    /// Whether two tracks are never visible at the same time and have no timestamp jump between them.
    package func mayBeSamePerson(as other: TrackSummary) -> Bool { epoch == other.epoch && !overlaps(other) }

    /// Whether the face was last seen at the frame's edge or moving out. `interval` is between samples, in seconds.
    package func hasLeft(interval: Double) -> Bool {
        let (width, height) = (Double(pictureSize.width), Double(pictureSize.height))
        return [lastBox, lastBox.offset(dx: lastVelocity.x * interval, dy: lastVelocity.y * interval)].contains { box in
            let margin = 0.1 * box.size
            return box.x < margin || box.y < margin || box.x + box.width > width - margin
                || box.y + box.height > height - margin
        }
    }
}

/// One face in one sample, as the input of the tracker.
package struct TrackedDetection: Sendable {
    package var box: Rectangle
    /// The detector's score, 0…1.
    package var confidence: Double
    package var appearance: AppearanceDescriptor?
    /// Numbers with a variance of 1 among one person's images; `nil` if the shape cannot be measured.
    package var shape: [Float]?

    package init(
        box: Rectangle, confidence: Double = 1, appearance: AppearanceDescriptor? = nil, shape: [Float]? = nil
    ) {
        (self.box, self.confidence, self.appearance, self.shape) = (box, confidence, appearance, shape)
    }

    /// How much a face differs from the one before in its track, 0…2.
    package func change(from earlier: TrackedDetection) -> Double {
        let look = IdentityProfile(earlier).difference(to: IdentityProfile(self)).portrait ?? 0
        return look + 1 - box.intersectionOverUnion(with: earlier.box)
    }
}

extension Rectangle {
    /// Side of a square with the same area.
    var size: Double { area.squareRoot() }
}
