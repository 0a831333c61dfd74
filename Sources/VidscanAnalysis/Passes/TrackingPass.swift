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
    /// The number of people that `track.max_faces` left out.
    let peopleLeftOut: Int
    /// The last sample in which each face appears, by face_id.
    let lastSamples: [Int: Int]
    /// How certain the person of each face is, 0…1, by face_id.
    let personConfidences: [Int: Double]
    /// How well single samples match the person of their track, by the offsets of their chips.
    var matches: [Int: Double] = [:]
    /// What the people look like at rest.
    var baseline = Baseline()
    let sampleCount: Int
    /// The mean time between samples in seconds; 0 if there is only one.
    let interval: Double

    /// The embeddings of all tracks that are kept, in the order of `embeddings.npy`.
    var embeddingRows: [EmbeddingRow] {
        zip(summaries, identities).flatMap { summary, identity -> [EmbeddingRow] in
            guard let identity else { return [] }
            return summary.chips.compactMap { chip in
                chip.embedding.map { embedding in
                    EmbeddingRow(
                        personID: identity.personID, faceID: identity.faceID, seconds: chip.seconds,
                        weight: Float(chip.weight), embedding: embedding)
                }
            }
        }.sorted { ($0.personID, $0.faceID, $0.seconds) < ($1.personID, $1.faceID, $1.seconds) }
    }
}

/// A chip in the intermediate file.
struct TrackChip {
    /// The index of the track.
    let track: Int
    let offset: Int
}

/// The tracks of the whole video, before it is known which are the same person.
struct FollowedTracks {
    /// The track of every face in the intermediate file.
    let indices: TrackIndexFile
    var summaries: [TrackSummary]
    /// All chips, in the file's order.
    let chips: [TrackChip]
    let samplesOfShot: [Int]
    let sampleCount: Int
    /// The mean time between samples in seconds; 0 if there is only one.
    let interval: Double
}

/// Reads the intermediate file once: tracks faces within each shot, summarizes each track, and decides which tracks are
/// the same person.
struct TrackingPass {
    let settings: Settings
    let changes: [ShotChange]

    /// Tracks the faces and summarizes the tracks.
    func follow(_ intermediate: IntermediateFrameFile, tracks output: TrackIndexFile) throws -> FollowedTracks {
        let reader = try IntermediateFrameReader(intermediate)
        var tracker = FaceTracker(options: settings.tracking)
        var summaries: [TrackSummary] = []
        var chips: [TrackChip] = []
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
                let weight = FaceProminence.of(face.numbers, in: frame.size)
                summaries[id - 1].add(trackedDetection, weight: weight, seconds: frame.seconds, sample: sample)
                if let offset = face.chipOffset {
                    chips.append(TrackChip(track: id - 1, offset: offset))
                    summaries[id - 1].add(
                        TrackSummary.Chip(seconds: frame.seconds, weight: weight, offset: offset))
                }
            }
            try output.append(ids)
            times = (times?.first ?? frame.seconds, frame.seconds)
            sample += 1
        }
        try output.finish()
        let span = times.map { $0.last - $0.first } ?? 0
        return FollowedTracks(
            indices: output, summaries: summaries, chips: chips, samplesOfShot: samplesOfShot, sampleCount: sample,
            interval: sample > 1 ? span / Double(sample - 1) : 0)
    }

    private var selectionOptions: TrackSelection.Options {
        var options = TrackSelection.Options(
            minimumSamples: settings.track.minimumSamples, maximumFaces: settings.track.maximumFaces)
        options.meanConfidence = settings.detect.keepsUncertainFaces ? 0 : 1.1 * settings.detect.minimumConfidence
        return options
    }

    /// Returns the indices of the tracks that may be kept.
    func candidates(_ tracks: FollowedTracks) -> [Int] {
        TrackSelection.candidates(
            tracks.summaries, samplesOfShot: tracks.samplesOfShot, options: selectionOptions)
    }

    /// Decides which tracks to keep, and which are the same person.
    func identify(_ tracks: FollowedTracks) -> TrackingResult {
        let selection = TrackSelection(
            tracks.summaries, samplesOfShot: tracks.samplesOfShot, options: selectionOptions,
            linker: TrackletLinker(shapeVariances: FaceShape.betweenVariances))
        var lastSamples: [Int: Int] = [:]
        var confidences: [Int: Double] = [:]
        for (summary, identity) in zip(tracks.summaries, selection.identities) {
            guard let identity else { continue }
            lastSamples[identity.faceID] = max(lastSamples[identity.faceID] ?? 0, summary.lastSample)
            confidences[identity.faceID] = identity.personConfidence
        }
        return TrackingResult(
            indices: tracks.indices, summaries: tracks.summaries, identities: selection.identities,
            peopleLeftOut: selection.peopleLeftOut, lastSamples: lastSamples, personConfidences: confidences,
            sampleCount: tracks.sampleCount, interval: tracks.interval)
    }
}
