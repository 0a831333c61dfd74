internal import VidscanBase
internal import VidscanFaces
internal import VidscanResults

/// Receives the frames of a run in time order and stores their faces.
protocol FrameSink {
    func add(_ frame: FrameRecord) throws
    /// Completes the files when no more frames follow.
    func finish() async throws -> WriteStage.Report
}

/// Makes the tables of a whole run. Detects shots and stores frames as they arrive; tracks faces after the last one.
final class TableBuilder: FrameSink {
    private let settings: Settings
    private let folderPath, input: String
    private let options: OutputOptions
    private let frames: FrameRecordFile
    private let writer: ResultWriter
    private let models: @Sendable () throws -> ModelStore
    private let consumer: (any RunConsumer)?
    private var shots = ShotDetector()
    private var jumps: [ShotChange] = []
    private var lastEpoch: Int?
    private var report = WriteStage.Report()

    private static let framesFile = ".frames"

    /// The folder is that of the unfinished result, and the models are loaded only if they are needed.
    init(
        folderPath: String, input: String, settings: Settings, blendshapeNames: [String],
        models: @escaping @Sendable () throws -> ModelStore, consumer: (any RunConsumer)? = nil
    ) throws(VidscanError) {
        (self.settings, self.folderPath, self.input) = (settings, folderPath, input)
        (self.models, self.consumer) = (models, consumer)
        options = OutputOptions(settings, blendshapeNames: blendshapeNames)
        // It contains pictures of faces, and a process that is killed leaves it behind.
        frames = try FrameRecordFile(
            path: "\(folderPath)/\(Self.framesFile)",
            header: RecordHeader(layout: FaceRecordLayout(settings, blendshapeNames: blendshapeNames)), isPrivate: true)
        // Create the files now, so that a full disk or a missing permission is found before the work.
        writer = try ResultWriter(
            folderPath: folderPath, input: input, options: options, writesEmbeddings: settings.track.keepsEmbeddings)
    }

    func add(_ frame: FrameRecord) throws {
        if let signature = frame.signature {
            shots.add(signature, faces: frame.faces.map { $0.box.relative(to: frame.size) }, seconds: frame.seconds)
        }
        if let lastEpoch, frame.epoch != lastEpoch {
            jumps.append(ShotChange(kind: .discontinuity, sample: report.counts.sampledFrames, seconds: frame.seconds))
        }
        lastEpoch = frame.epoch
        try frames.append(frame)
        report.add(frame)
    }

    func finish() async throws -> WriteStage.Report {
        shots.finish()
        // In time order, at most one per sample.
        let jumped = Set(jumps.map(\.sample))
        let changes = (shots.changes.filter { !jumped.contains($0.sample) } + jumps).sorted { $0.sample < $1.sample }
        report.counts.hardCuts = changes.count { $0.kind == .hard }
        report.counts.gradualCuts = changes.count { $0.kind == .gradual }
        try frames.close()
        let clock = ContinuousClock()
        var begin = clock.now
        func lap() -> Double {
            let now = clock.now
            defer { begin = now }
            return begin.duration(to: now) / .seconds(1)
        }
        var tracks = try VideoTracks(of: frames, changes: changes, settings: settings)
        report.timings.followSeconds = lap()
        var embedding = EmbeddingPass(settings: settings, frames: frames, models: models)
        try await embedding.embed(&tracks)
        var strangers: Set<Int> = []
        for _ in 0..<Self.maximumChangesOfPerson {
            let found = try tracks.strangers(in: frames)
            guard !found.isSubset(of: strangers) else { break }
            strangers.formUnion(found)
            tracks = try VideoTracks(of: frames, changes: changes, settings: settings, strangers: strangers)
            try await embedding.embed(&tracks)
        }
        var embedSeconds = lap()
        tracks.identify()
        report.timings.followSeconds += lap()
        let matches = try await embedding.matches(of: tracks)
        embedSeconds += lap()
        embedding.embedder = nil
        report.timings.embedSeconds = settings.track.person ? embedSeconds : 0
        let speech =
            settings.speech
            ? try await SpeechPass(
                settings: settings, path: input, frames: (folderPath, Self.framesFile), models: models
            ).run(tracks, until: report.lastMicroseconds ?? 0) : nil
        report.timings.speechSeconds = lap()
        try await writeTables(tracks, matches: matches, speech)
        report.timings.tableSeconds = lap()
        frames.remove()
        return report
    }

    /// In one track.
    private static let maximumChangesOfPerson = 4

    /// - Parameter matches: How well single samples match the person of their track, by the offsets of their crops.
    private func writeTables(_ tracks: VideoTracks, matches: [Int: Double], _ speech: Speech?) async throws {
        let (outcome, numbers) = tracks.outcome
        let tracked = TrackedFrames(folder: folderPath, name: Self.framesFile) {
            [tracks = tracks.ofFaces] frame, position in
            frame.voice = speech?.voice(at: frame.microseconds)
            for index in frame.faces.indices {
                let track = Int(tracks[position.face + index])
                frame.faces[index].track = track > 0 ? numbers[track - 1] : 0
                frame.faces[index].personMatch = frame.faces[index].evidence?.cropOffset.flatMap { matches[$0] }
                guard let speech, frame.faces[index].track > 0 else { continue }
                let values = speech.values(ofTrack: track - 1, at: frame.microseconds, until: position.next)
                frame.faces[index].numbers[.speaking] = values.speaking
                frame.faces[index].numbers[.speechMovement] = values.moving
                frame.faces[index].speech = values.ticks
            }
            return true
        }
        let record = try ResultRecordWriter(folderPath: folderPath, options, outcome)
        let written = try await OutputPass.run(
            tracked, outcome, options: options, into: [writer, record] + (consumer.map { [$0] } ?? [])
        ) { try models().expressionModel() }
        let embeddings = settings.track.keepsEmbeddings ? tracks.embeddingRows : nil
        report.embeddings = embeddings?.count
        try writer.finish(quality: written.quality, embeddings: embeddings ?? [])
        (report.counts.faces, report.counts.faceIds) = (written.faces, written.faceIDs)
        (report.counts.personIds, report.counts.events) = (written.personIDs, written.events)
        report.counts.framesWithSound = settings.speech ? written.framesWithSound : nil
        report.counts.tracksDropped = tracks.identities.count { $0 == nil }
        (report.peopleLeftOut, report.tables) = (tracks.peopleLeftOut, written)
    }
}

/// Writes the frames of one segment to a file in the segment's folder.
final class SegmentWriter: FrameSink {
    private let frames: FrameRecordFile
    private var report = WriteStage.Report()

    /// - Parameter folderPath: The folder of the unfinished segment.
    init(folderPath: String, settings: Settings, blendshapeNames: [String]) throws(VidscanError) {
        var layout = FaceRecordLayout(settings, blendshapeNames: blendshapeNames)
        // Shot changes can be detected only when the frames of the neighbouring segments are known too.
        layout.hasSignatures = true
        frames = try FrameRecordFile(
            path: "\(folderPath)/\(ResultFiles.record)", header: RecordHeader(layout: layout), isPrivate: true)
    }

    func add(_ frame: FrameRecord) throws {
        try frames.append(frame)
        report.add(frame)
    }

    func finish() throws -> WriteStage.Report {
        try frames.finish()
        return report
    }
}

extension OutputOptions {
    /// - Parameter blendshapeNames: Empty if blendshapes are not requested.
    init(_ settings: Settings, blendshapeNames: [String]) {
        self.init(
            metrics: settings.measure.metrics, baseline: settings.measure.baseline,
            isSmoothed: settings.track.smoothing, events: settings.track.events, formats: settings.write.formats,
            openFaceBlanks: settings.write.openFaceBlanks, hasLandmarks: settings.write.landmarks,
            blendshapeNames: settings.write.blendshapes ? blendshapeNames : nil,
            hasExpressions: settings.needsExpressions)
    }
}

extension FaceRecordLayout {
    fileprivate init(_ settings: Settings, blendshapeNames: [String]) {
        self.init(hasEvidence: true, hasMesh: settings.write.keepsMeshes, blendshapeCount: blendshapeNames.count)
    }
}
