/// Gives the faces of successive samples ids that follow a person.
///
/// Each track predicts where its face is now from its last two sightings, at constant velocity; a face goes to the track
/// whose prediction it overlaps most, best pairs first. A track unseen for longer than the gap ends. Ids count from 1 in
/// order of first appearance, and never come back.
public struct FaceTracker: Sendable {
    public struct Options: Sendable, Equatable {
        /// How long a face may be out of sight and keep its id, in seconds.
        public var maximumGapSeconds: Double
        /// The least overlap (intersection over union) of prediction and face.
        public var minimumOverlap: Double

        public init(maximumGapSeconds: Double = 1, minimumOverlap: Double = 0.15) {
            self.maximumGapSeconds = maximumGapSeconds
            self.minimumOverlap = minimumOverlap
        }
    }

    private struct Track: Sendable {
        var id: Int
        var box: Rectangle
        var seenAt: Double
        /// Pixels a second.
        var velocity: Point

        func predictedBox(at time: Double) -> Rectangle {
            // Further than half a second ahead a straight line is no better than standing still.
            let elapsed = min(time - seenAt, 0.5)
            return box.offset(dx: velocity.x * elapsed, dy: velocity.y * elapsed)
        }
    }

    private let options: Options
    private var tracks: [Track] = []
    private var lastID = 0

    public init(options: Options = Options()) {
        self.options = options
    }

    /// The number of ids given so far.
    public var identityCount: Int { lastID }

    /// Takes the next sample's faces.
    ///
    /// - Parameters:
    ///   - boxes: of one picture, in display space.
    ///   - seconds: its time; not before that of the previous call.
    /// - Returns: an id for each box, in the same order.
    public mutating func update(boxes: [Rectangle], seconds: Double) -> [Int] {
        tracks.removeAll { seconds - $0.seenAt > options.maximumGapSeconds }
        var pairs: [(overlap: Double, track: Int, face: Int)] = []
        for (trackIndex, track) in tracks.enumerated() {
            let predicted = track.predictedBox(at: seconds)
            for (faceIndex, box) in boxes.enumerated() {
                let overlap = max(
                    predicted.intersectionOverUnion(with: box), track.box.intersectionOverUnion(with: box))
                if overlap >= options.minimumOverlap { pairs.append((overlap, trackIndex, faceIndex)) }
            }
        }
        pairs.sort { ($1.overlap, $0.track, $0.face) < ($0.overlap, $1.track, $1.face) }
        var ids = [Int](repeating: 0, count: boxes.count)
        var isTaken = [Bool](repeating: false, count: tracks.count)
        for pair in pairs where !isTaken[pair.track] && ids[pair.face] == 0 {
            isTaken[pair.track] = true
            ids[pair.face] = tracks[pair.track].id
            follow(&tracks[pair.track], to: boxes[pair.face], seconds: seconds)
        }
        for (index, box) in boxes.enumerated() where ids[index] == 0 {
            lastID += 1
            ids[index] = lastID
            tracks.append(Track(id: lastID, box: box, seenAt: seconds, velocity: Point(x: 0, y: 0)))
        }
        return ids
    }

    private func follow(_ track: inout Track, to box: Rectangle, seconds: Double) {
        let elapsed = seconds - track.seenAt
        if elapsed > 0 {
            let from = track.box.center
            let to = box.center
            track.velocity = Point(x: (to.x - from.x) / elapsed, y: (to.y - from.y) / elapsed)
        }
        track.box = box
        track.seenAt = seconds
    }
}
