internal import VidscanBase
internal import VidscanFaces
internal import VidscanResults

/// The result of tracking faces through the whole video.
struct TrackingResult {
    /// The track of every face in the intermediate file.
    let indices: TrackIndexFile
    let summaries: [TrackSummary]
    /// By track, from 0; `nil` for tracks that are dropped.
    let identities: [TrackSelection.Identity?]
    /// The last sample in which each face appears, by face_id.
    let lastSamples: [Int: Int]
    /// How certain the person of each face is, 0…1, by face_id.
    let personConfidences: [Int: Double]
    /// How well single samples match the person of their track.
    let matches: PersonMatch
    let sampleCount: Int
    /// The mean time between samples in seconds; 0 if there is only one.
    let interval: Double
}

/// Reads the intermediate file once: tracks faces within each shot, summarizes each track, and decides which tracks are
/// the same person.
struct TrackingPass {
    let settings: Settings
    let changes: [ShotChange]

    func run(_ intermediate: IntermediateFrameFile, tracks output: TrackIndexFile) throws -> TrackingResult {
        let reader = try IntermediateFrameReader(intermediate)
        var tracker = FaceTracker(options: settings.tracking)
        var summaries: [TrackSummary] = []
        var samplesOfShot = [0]
        var sample = 0
        var times: (first: Double, last: Double)?
        while let frame = try reader.next() {
            try Task.checkCancellation()
            let isAfterCut =
                samplesOfShot.count - 1 < changes.count && changes[samplesOfShot.count - 1].sample == sample
            if isAfterCut { samplesOfShot.append(0) }
            samplesOfShot[samplesOfShot.count - 1] += 1
            let detections = frame.faces.map(\.trackedDetection)
            let ids = tracker.update(detections, seconds: frame.seconds, isAfterCut: isAfterCut)
            for (face, id) in zip(frame.faces, ids) {
                guard let id else { continue }
                let trackedDetection = face.trackedDetection
                if id > summaries.count {
                    // Tracks that begin in the same sample are numbered from left to right, but faces are in another
                    // order.
                    while summaries.count < id {
                        summaries.append(
                            TrackSummary(
                                trackID: summaries.count + 1, trackedDetection: trackedDetection,
                                seconds: frame.seconds,
                                sample: sample, shot: samplesOfShot.count - 1, epoch: frame.epoch,
                                pictureSize: frame.size))
                    }
                }
                summaries[id - 1].add(
                    trackedDetection, weight: FaceProminence.of(face, in: frame.size), seconds: frame.seconds,
                    sample: sample)
            }
            try output.append(ids)
            times = (times?.first ?? frame.seconds, frame.seconds)
            sample += 1
        }
        try output.finish()
        var choice = TrackSelection.Options(
            minimumSamples: settings.track.minimumSamples, maximumFaces: settings.track.maximumFaces)
        choice.meanConfidence = settings.detect.keepsUncertainFaces ? 0 : 1.1 * settings.detect.minimumConfidence
        let selection = TrackSelection(
            summaries, samplesOfShot: samplesOfShot, options: choice,
            linker: TrackletLinker(shapeVariances: FaceShape.betweenVariances))
        var lastSamples: [Int: Int] = [:]
        var confidences: [Int: Double] = [:]
        for (summary, identity) in zip(summaries, selection.identities) {
            guard let identity else { continue }
            lastSamples[identity.faceID] = max(lastSamples[identity.faceID] ?? 0, summary.lastSample)
            confidences[identity.faceID] = identity.personConfidence
        }
        let span = times.map { $0.last - $0.first } ?? 0
        return TrackingResult(
            indices: output, summaries: summaries, identities: selection.identities, lastSamples: lastSamples,
            personConfidences: confidences,
            matches: PersonMatch(summaries, identities: selection.identities),
            sampleCount: sample, interval: sample > 1 ? span / Double(sample - 1) : 0)
    }
}

/// How well a face can be seen: the weight of its appearance descriptor, and the criterion for the best frame for a
/// thumbnail.
enum FaceProminence {
    /// Returns a weight from 0 up. It is about 1 for a sharp, frontal face that is not cut off and whose size is a
    /// quarter of the frame's shorter side.
    static func of(_ face: FaceRecord, in size: PictureSize) -> Double {
        let share = face.box.area.squareRoot() / Double(max(size.shortSide, 1))
        let extent = min(share / 0.25, 1.5)
        let turn = face.numbers.turnDegrees.map { max(0.1, 1 - $0 / 50) } ?? 0.15
        let sharpness = face.numbers[.sharpness].map { $0 / ($0 + 60) } ?? 0.3
        let isCut =
            face.box.x <= 1 || face.box.y <= 1 || face.box.x + face.box.width >= Double(size.width) - 1
            || face.box.y + face.box.height >= Double(size.height) - 1
        return (face.numbers[.confidence] ?? 0) * extent * turn * (0.3 + sharpness) * (isCut ? 0.3 : 1)
    }
}
