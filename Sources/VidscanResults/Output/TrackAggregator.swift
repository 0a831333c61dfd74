internal import VidscanBase
internal import VidscanFaces

/// Collects the episodes, the events and the rows of `tracks.csv`. Holds histograms only for faces that appear again later.
struct TrackAggregator {
    private struct Aggregate {
        /// Its mean box is a sum, and its statistics lack what follows from the histograms.
        var row: TrackRow
        var blinks = TrackRow.Blinks()
        var bestWeight = -1.0
        var histograms = TrackTable.measures.map { StreamingHistogram(range: $0.range) }
        var detector: FaceEventDetector
        var appearance: Episode?

        /// Adds a sample, in time order. It stands for `seconds`; `weight` is its `prominence`.
        mutating func add(_ face: FaceRow, seconds: Double, weight: Double) {
            for (index, measure) in TrackTable.measures.enumerated() {
                guard let value = face[measure] else { continue }
                histograms[index].add(value)
                row.statistics[index].seconds += seconds
            }
            let box = face.face.box
            row.meanBox.x += box.x
            row.meanBox.y += box.y
            row.meanBox.width += box.width
            row.meanBox.height += box.height
            row.visibleSeconds += seconds
            row.samples += 1
            row.lastMicroseconds = face.microseconds
            guard weight > bestWeight else { return }
            (bestWeight, row.bestMicroseconds, row.bestFrame) = (weight, face.microseconds, face.frame)
        }
    }

    private let options: OutputOptions
    private let outcome: TrackingOutcome
    private let baseline: Baseline
    /// By face_id.
    private let lastSamples: [Int: Int]
    let detectsBlinks: Bool
    private(set) var hasMeasuredEyes = false
    private var aggregates: [Int: Aggregate] = [:]
    private var rows: [TrackRow] = []
    private var quality: QualityTally
    private var observed: [ObservedEpisode] = []
    private var voice = OffScreenVoiceDetector(), gaze = MutualGazeDetector()
    private var shot: (number: Int, observed: ObservedEpisode)?
    /// The samples before which something may be missing, and the number of samples: nobody saw what begins or ends there.
    private let breaks: Set<Int>
    /// The time of the sample before. Excluded ones count too, so that excluded time is left out.
    private var lastMicroseconds: Int64?

    init(_ options: OutputOptions, _ outcome: TrackingOutcome, _ baseline: Baseline) {
        (self.options, self.outcome, self.baseline) = (options, outcome, baseline)
        lastSamples = Dictionary(outcome.tracks.map { ($0.faceID, $0.lastSample) }, uniquingKeysWith: max)
        quality = QualityTally(options, outcome)
        breaks = Set(outcome.changes.filter { $0.kind == .discontinuity }.map(\.sample))
            .union(outcome.timesBeforeGaps.keys).union([0, outcome.sampleCount])
        // A rate just below the minimum, such as 11.999 for 12, is high enough, and the last sample may be one interval late.
        let gaps = Double(outcome.sampleCount - 1)
        let rate = gaps / (outcome.interval * max(gaps - 1, 1))
        detectsBlinks = outcome.interval > 0 && rate >= options.events.blinkMinimumRate * 0.99
    }

    /// `shot` is the number of the shot, from 0.
    mutating func add(_ rows: [FaceRow], of frame: FrameRecord, shot: Int) {
        if let time = outcome.timesBeforeGaps[frame.sequence] { lastMicroseconds = time }
        let seconds = seconds(ofSampleAt: frame.microseconds)
        extendShot(shot, with: frame, seconds: seconds)
        for face in frame.faces where face.track > 0 {
            let track = outcome.tracks[face.track - 1]
            guard let row = rows.first(where: { $0.faceID == track.faceID }) else { continue }
            add(row, raw: face, track, frame, seconds: seconds)
            quality.add(row, raw: face, of: track.personID, seconds: seconds)
        }
        quality.finish(frame.sequence)
        if breaks.contains(frame.sequence) { interrupt() }
        let speaking = frame.faces.filter { $0.track > 0 }.map { $0.numbers[.speaking] }
        let heard = voice.update(
            voice: frame.voice, speaking: speaking, at: frame.microseconds, seconds: seconds, sample: frame.sequence)
        if let heard { observed.append(heard) }
        let targets = rows.compactMap { row in row.personID.flatMap { id in row.looksAt.map { (id, $0) } } }
        observed += gaze.update(
            Dictionary(targets) { first, _ in first }, at: frame.microseconds, seconds: seconds, sample: frame.sequence)
    }

    /// Returns how many seconds a sample stands for: the time since the sample before it (for the first, the mean
    /// interval), at most twice the mean interval so that a still picture or a jump of the timestamps does not count.
    private mutating func seconds(ofSampleAt microseconds: Int64) -> Double {
        defer { lastMicroseconds = microseconds }
        guard let lastMicroseconds else { return outcome.interval }
        return min(max(Double(microseconds - lastMicroseconds) / 1e6, 0), 2 * outcome.interval)
    }

    /// Ends the episodes that belong to no single face.
    private mutating func interrupt() {
        observed += gaze.finish()
        if let heard = voice.finish() { observed.append(heard) }
    }

    private mutating func extendShot(_ number: Int, with frame: FrameRecord, seconds: Double) {
        if shot?.number != number {
            let (time, isSeen) = (frame.microseconds, !breaks.contains(frame.sequence))
            finishShot(endingAt: time, isSeen: isSeen)
            let episode = Episode(
                kind: .shot, startMicroseconds: time, endMicroseconds: time, isStartSeen: isSeen, isEndSeen: false,
                measuredSeconds: 0)
            let cuts = outcome.changes[..<number].suffix(1).map {
                FaceEvent(microseconds: time, kind: .shotCut, value: .text($0.kind.rawValue))
            }
            shot = (number, ObservedEpisode(episode, events: cuts))
        }
        shot?.observed.episode.endMicroseconds = frame.microseconds
        shot?.observed.episode.measuredSeconds += seconds
    }

    /// A shot ends at the first sample of the next; the last one at its own last sample.
    private mutating func finishShot(endingAt time: Int64? = nil, isSeen: Bool = false) {
        guard var last = shot?.observed else { return }
        last.episode.endMicroseconds = time ?? last.episode.endMicroseconds
        last.episode.isEndSeen = isSeen
        observed.append(last)
    }

    private mutating func add(
        _ row: FaceRow, raw: FaceRecord, _ track: TrackingOutcome.Track, _ frame: FrameRecord, seconds: Double
    ) {
        var aggregate = aggregates.removeValue(forKey: row.faceID) ?? start(with: row)
        if track.firstSample == frame.sequence {
            aggregate.detector = detector(row.faceID)
            aggregate.row.appearances += 1
            aggregate.appearance = Episode(
                kind: .visible, personID: row.personID, faceID: row.faceID, startMicroseconds: row.microseconds,
                endMicroseconds: row.microseconds, isStartSeen: !breaks.contains(frame.sequence), isEndSeen: false,
                measuredSeconds: 0)
        }
        let eyes = baseline.eyes(of: raw, faceID: row.faceID)
        if eyes != nil {
            hasMeasuredEyes = true
            aggregate.blinks.seconds += seconds
        }
        let found = aggregate.detector.update(
            FaceEventDetector.Measurement(
                eyeOpenness: raw.eyeOpenness, hasOneEye: eyes?.hasOneEye ?? false,
                smile: baseline.relative(.smile, of: raw, faceID: row.faceID), turnDegrees: raw.numbers.turnDegrees,
                yaw: raw.numbers[.yaw], pitch: raw.numbers[.pitch], speech: raw.speech),
            at: row.microseconds, seconds: seconds, sample: frame.sequence)
        add(found, to: &aggregate)
        aggregate.add(row, seconds: seconds, weight: raw.numbers.prominence(in: frame.size))
        aggregate.appearance?.measuredSeconds += seconds
        aggregate.row.speech.add(raw.speech)
        if track.lastSample == frame.sequence {
            add(aggregate.detector.finish(), to: &aggregate)
            finishAppearance(of: &aggregate, at: row.microseconds, track)
        }
        if lastSamples[row.faceID] == frame.sequence {
            aggregate.row.personConfidence = track.personConfidence
            rows.append(finished(aggregate))
        } else {
            aggregates[row.faceID] = aggregate
        }
    }

    private func start(with row: FaceRow) -> Aggregate {
        Aggregate(
            row: TrackRow(
                faceID: row.faceID, personID: row.personID, firstMicroseconds: row.microseconds,
                lastMicroseconds: row.microseconds, bestMicroseconds: row.microseconds, bestFrame: row.frame),
            detector: detector(row.faceID))
    }

    private mutating func finishAppearance(
        of aggregate: inout Aggregate, at time: Int64, _ track: TrackingOutcome.Track
    ) {
        guard var episode = aggregate.appearance else { return }
        episode.endMicroseconds = time
        episode.isEndSeen =
            switch track.ending {
            case .cut, .left, .occluded: true
            case .end, .discontinuity: false
            case .corrected: !breaks.contains(track.lastSample + 1)
            }
        let started = FaceEvent(microseconds: episode.startMicroseconds, kind: .faceStarted, faceID: episode.faceID)
        let stopped = FaceEvent(
            microseconds: time, kind: .faceStopped, faceID: episode.faceID, value: .text(track.ending.rawValue))
        observed.append(ObservedEpisode(episode, events: [started, stopped]))
        aggregate.appearance = nil
    }

    private mutating func add(_ found: [ObservedEpisode], to aggregate: inout Aggregate) {
        aggregate.blinks.count += found.count { $0.episode.kind == .blink }
        for var one in found {
            one.episode.personID = aggregate.row.personID
            observed.append(one)
        }
    }

    private func detector(_ faceID: Int) -> FaceEventDetector {
        FaceEventDetector(faceID: faceID, options: options.events, detectsBlinks: detectsBlinks)
    }

    private func finished(_ aggregate: Aggregate) -> TrackRow {
        var row = aggregate.row
        let (count, box) = (Double(row.samples), row.meanBox)
        row.meanBox = Rectangle(
            x: box.x / count, y: box.y / count, width: box.width / count, height: box.height / count)
        row.blinks = detectsBlinks && aggregate.blinks.seconds > 0 ? aggregate.blinks : nil
        for (index, (measure, histogram)) in zip(TrackTable.measures, aggregate.histograms).enumerated() {
            row.statistics[index].mean = histogram.mean.map(Float.init)
            row.statistics[index].median = histogram.median.map(Float.init)
            row.statistics[index].maximum = histogram.maximum.map(Float.init)
            row.statistics[index].samples = histogram.count
            guard case .metric(let metric) = measure, options.metrics.contains(metric) else { continue }
            row.statistics[index].rest = baseline.levels[row.faceID]?[metric].map(Float.init)
        }
        return row
    }

    /// Returns the rows by face_id and person_id, the events in time order, and the episodes by id, also in time order.
    mutating func finish() -> (tracks: [TrackRow], people: [QualityRow], events: [FaceEvent], episodes: [Episode]) {
        finishShot()
        interrupt()
        observed.sort { Episode.precedes($0.episode, $1.episode) }
        nameOthers()
        for index in observed.indices {
            observed[index].episode.id = index + 1
            for event in observed[index].events.indices { observed[index].events[event].episode = index + 1 }
        }
        return (
            rows.sorted { $0.faceID < $1.faceID }, quality.rows.sorted { $0.personID < $1.personID },
            observed.flatMap(\.events).sorted(by: FaceEvent.precedes), observed.map(\.episode)
        )
    }

    /// Names, in each episode of speech, other people who speak at the same time.
    private mutating func nameOthers() {
        var speaking: [Int] = []
        for index in observed.indices where observed[index].episode.kind == .speaks {
            let episode = observed[index].episode
            speaking.removeAll { observed[$0].episode.endMicroseconds <= episode.startMicroseconds }
            for other in speaking {
                guard let a = episode.personID, let b = observed[other].episode.personID, a != b else { continue }
                observed[index].episode.otherPersonIDs.append(b)
                observed[other].episode.otherPersonIDs.append(a)
            }
            speaking.append(index)
        }
        for index in observed.indices where observed[index].episode.otherPersonIDs.count > 1 {
            observed[index].episode.otherPersonIDs = Set(observed[index].episode.otherPersonIDs).sorted()
        }
    }
}
