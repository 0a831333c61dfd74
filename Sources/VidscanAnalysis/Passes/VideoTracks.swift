internal import VidscanBase
internal import VidscanFaces
internal import VidscanResults

/// The tracks of a whole video: faces that are followed within each shot, and the people that they belong to.
struct VideoTracks {
    private let changes: [ShotChange]
    private var options = TrackSelection.Options()
    /// The track of every face in the file, from 1; 0 for none.
    private(set) var ofFaces: [Int32] = []
    var summaries: [TrackSummary] = []
    /// All crops, in the file's order, with the indices of their tracks.
    private(set) var crops: [(track: Int, offset: Int)] = []
    private var samplesOfShot = [0]
    private var sampleCount = 0
    /// The mean time between samples in seconds; 0 if there is only one.
    private var interval = 0.0
    /// By track, from 0; `nil` for tracks that are dropped. Known after `identify`.
    private(set) var identities: [TrackSelection.Identity?] = []
    private var facesTouched = false
    /// Whether a track may continue on somebody else's face: faces touched, or one looks different.
    var mayHaveChangedPerson: Bool { facesTouched || summaries.contains(where: \.hasChangedLook) }
    private(set) var peopleLeftOut = 0

    /// Reads the frames once, tracks the faces and summarizes the tracks. `strangers`: the faces at which a track would
    /// continue on another person's face, as indices of ``ofFaces``.
    init(of frames: FrameRecordFile, changes: [ShotChange], settings: Settings, strangers: Set<Int> = []) throws {
        self.changes = changes
        options.minimumSamples = settings.track.minimumSamples
        options.maximumFaces = settings.track.maximumFaces
        options.meanConfidence = settings.detect.keepsUncertainFaces ? 0 : 1.1 * settings.detect.minimumConfidence
        let reader = try FrameRecordReader(path: frames.path)
        var tracker = settings.tracker
        var times: [Int64] = []
        while let frame = try reader.next() {
            try Task.checkCancellation()
            let shot = samplesOfShot.count - 1
            let isAfterCut = shot < changes.count && changes[shot].sample == sampleCount
            if isAfterCut { samplesOfShot.append(0) }
            samplesOfShot[samplesOfShot.count - 1] += 1
            let detections = frame.faces.map(\.trackedDetection)
            let others = Set(frame.faces.indices.filter { strangers.contains(ofFaces.count + $0) })
            let ids = tracker.update(detections, seconds: frame.seconds, isAfterCut: isAfterCut, strangers: others)
            for second in detections.indices where !facesTouched {
                facesTouched = detections[..<second].contains {
                    $0.box.intersectionOverUnion(with: detections[second].box) > 0
                }
            }
            for ((face, detection), id) in zip(zip(frame.faces, detections), ids) {
                ofFaces.append(Int32(id ?? 0))
                if let id { add(face, detection, track: id, in: frame) }
            }
            times.append(frame.microseconds)
            sampleCount += 1
        }
        // A stall of half a second says nothing about the rate of the rest.
        interval = RegularClock.interval(of: times, limit: 500_000) / 1e6
    }

    private mutating func add(_ face: FaceRecord, _ detection: TrackedDetection, track id: Int, in frame: FrameRecord) {
        // Tracks that begin in the same sample are numbered from left to right, but faces are in another order.
        while summaries.count < id {
            summaries.append(
                TrackSummary(
                    detection: detection, seconds: frame.seconds, sample: sampleCount,
                    shot: samplesOfShot.count - 1, epoch: frame.epoch, pictureSize: frame.size))
        }
        let weight = face.numbers.prominence(in: frame.size)
        summaries[id - 1].add(detection, weight: weight, seconds: frame.seconds, sample: sampleCount)
        if let offset = face.evidence?.cropOffset {
            crops.append((id - 1, offset))
            summaries[id - 1].add(TrackSummary.Crop(seconds: frame.seconds, weight: weight, offset: offset))
        }
    }

    /// The faces at which tracks changed person, as indices of ``ofFaces``, found by the embeddings of their crops. Between
    /// two crops, a track changes person where the face differs most from the one before, in position and appearance.
    func strangers(in frames: FrameRecordFile) throws -> Set<Int> {
        let changes = summaries.map(\.personChange)
        guard changes.contains(where: { $0 != nil }) else { return [] }
        var steps: [Int: (face: Int, last: FaceRecord, change: Double)] = [:]
        var count = 0
        let reader = try FrameRecordReader(path: frames.path)
        while let frame = try reader.next() {
            for (face, index) in zip(frame.faces, count...) {
                let track = Int(ofFaces[index]) - 1
                guard track >= 0, let times = changes[track], times.contains(frame.seconds) else { continue }
                let change = steps[track].map { face.trackedDetection.change(from: $0.last.trackedDetection) }
                if let change, let step = steps[track], change <= step.change {
                    steps[track]?.last = face
                } else {
                    steps[track] = (index, face, change ?? -1)
                }
            }
            count += frame.faces.count
        }
        return Set(steps.values.filter { $0.change >= 0 }.map(\.face))
    }

    var candidates: [Int] { TrackSelection.candidates(summaries, samplesOfShot: samplesOfShot, options: options) }

    /// Decides which tracks to keep, and which are the same person.
    mutating func identify() {
        let selection = TrackSelection(
            summaries, samplesOfShot: samplesOfShot, options: options,
            linker: TrackletLinker(shapeVariances: FaceShape.betweenVariances))
        (identities, peopleLeftOut) = (selection.identities, selection.peopleLeftOut)
    }

    /// The tracks that are kept, and the number of each track among them: 0 for one that is dropped.
    var outcome: (TrackingOutcome, numbers: [Int]) {
        let changeOfSample = Dictionary(changes.map { ($0.sample, $0.kind) }) { first, _ in first }
        var kept: [TrackingOutcome.Track] = []
        let numbers = zip(summaries, identities).map { summary, identity in
            guard let identity else { return 0 }
            let ending: TrackingOutcome.Ending =
                if summary.lastSample == sampleCount - 1 {
                    .end
                } else if let change = changeOfSample[summary.lastSample + 1] {
                    change == .discontinuity ? .discontinuity : .cut
                } else {
                    summary.hasLeft(interval: interval) ? .left : .occluded
                }
            kept.append(
                TrackingOutcome.Track(
                    faceID: identity.faceID, personID: identity.personID, personConfidence: identity.personConfidence,
                    firstSample: summary.firstSample, lastSample: summary.lastSample, samples: summary.samples,
                    ending: ending))
            return kept.count
        }
        return (TrackingOutcome(tracks: kept, changes: changes, sampleCount: sampleCount, interval: interval), numbers)
    }

    /// The embeddings of all tracks that are kept, in the order of `embeddings.npy`.
    var embeddingRows: [EmbeddingRow] {
        zip(summaries, identities).flatMap { summary, identity -> [EmbeddingRow] in
            guard let identity else { return [] }
            return summary.crops.compactMap { crop in
                guard let embedding = crop.embedding else { return nil }
                return EmbeddingRow(
                    personID: identity.personID, faceID: identity.faceID, seconds: crop.seconds,
                    weight: Float(crop.weight), embedding: embedding)
            }
        }.sorted { ($0.personID, $0.faceID, $0.seconds) < ($1.personID, $1.faceID, $1.seconds) }
    }
}
