internal import VidscanBase
internal import VidscanFaces
internal import VidscanResults

/// Receives the frames of a run in time order and stores their faces.
protocol FrameSink {
    /// - Parameter signature: The signature of the frame, for the detection of shot changes.
    func add(_ frame: FrameRecord, signature: FrameSignature) throws
    /// Completes the files when no more frames follow.
    func finish() async throws -> WriteStage.Report
}

/// Makes the tables of a whole run. Detects shots and stores the frames in the intermediate file as they arrive; tracks
/// the faces and writes the tables after the last one.
final class TableBuilder: FrameSink {
    private let settings: Settings
    private let folderPath: String
    private let intermediate: IntermediateFrameFile
    private let writer: ResultWriter
    private let models: @Sendable () throws -> ModelStore
    private let consumer: (any RunConsumer)?
    private var shots = ShotDetector()
    private var jumps: [ShotChange] = []
    private var lastEpoch: Int?
    private var sampleCount = 0
    private var report = WriteStage.Report()

    /// - Parameters:
    ///   - folderPath: The folder of the unfinished result.
    ///   - input: The path of the video.
    ///   - blendshapeNames: Empty if blendshapes are not requested.
    ///   - models: The models, which are loaded only if they are needed.
    init(
        folderPath: String, input: String, settings: Settings, blendshapeNames: [String],
        models: @escaping @Sendable () throws -> ModelStore, consumer: (any RunConsumer)? = nil
    ) throws(VidscanError) {
        self.consumer = consumer
        self.settings = settings
        self.folderPath = folderPath
        self.models = models
        intermediate = try IntermediateFrameFile(
            path: folderPath + "/.frames",
            layout: FaceRecordLayout(hasMesh: settings.write.keepsMeshes, blendshapeCount: blendshapeNames.count))
        // Create the files now, so that a full disk or a missing permission is found before the work rather than after
        // it.
        writer = try ResultWriter(
            folderPath: folderPath, input: input, formats: settings.write.formats,
            writesLandmarks: settings.write.landmarks, writesEmbeddings: settings.track.keepsEmbeddings,
            blendshapeNames: settings.write.blendshapes ? blendshapeNames : nil)
    }

    func add(_ frame: FrameRecord, signature: FrameSignature) throws {
        shots.add(signature, faces: frame.faces.map { $0.box.relative(to: frame.size) }, seconds: frame.seconds)
        if let lastEpoch, frame.epoch != lastEpoch {
            jumps.append(ShotChange(kind: .discontinuity, sample: sampleCount, seconds: frame.seconds))
        }
        lastEpoch = frame.epoch
        sampleCount += 1
        try intermediate.append(frame)
        report.add(frame)
    }

    /// Shot changes and timestamp jumps in time order, at most one per sample.
    private var boundaries: [ShotChange] {
        let jumped = Set(jumps.map(\.sample))
        return (shots.changes.filter { !jumped.contains($0.sample) } + jumps).sorted { $0.sample < $1.sample }
    }

    func finish() async throws -> WriteStage.Report {
        shots.finish()
        let changes = boundaries
        report.counts.hardCuts = changes.count { $0.kind == .hard }
        report.counts.gradualCuts = changes.count { $0.kind == .gradual }
        try intermediate.finish()
        let clock = ContinuousClock()
        var begin = clock.now
        func lap() -> Double {
            let now = clock.now
            defer { begin = now }
            return begin.duration(to: now) / .seconds(1)
        }
        let tracking = TrackingPass(settings: settings, changes: changes)
        var followed = try tracking.follow(intermediate, tracks: TrackIndexFile(path: folderPath + "/.tracks"))
        report.timings.followSeconds = lap()
        var embedding = EmbeddingPass(
            settings: settings,
            embedder: ChipEmbedder(models: models, workers: settings.detect.workers, intermediate: intermediate))
        try await embedding.embed(&followed.summaries, among: tracking.candidates(followed))
        var embedSeconds = lap()
        var tracks = tracking.identify(followed)
        report.timings.followSeconds += lap()
        tracks.matches = try await embedding.matches(of: tracks, chips: followed.chips)
        embedSeconds += lap()
        report.timings.embedSeconds = settings.track.person ? embedSeconds : 0
        tracks.baseline = try BaselinePass(settings: settings).run(intermediate, tracks) {
            try models().expressionModel()
        }
        try await OutputPass(settings: settings, changes: changes, following: tracks, consumer: consumer).run(
            intermediate, writer: writer, report: &report)
        if settings.track.keepsEmbeddings {
            let rows = tracks.embeddingRows
            try writer.write(rows)
            report.embeddings = rows.count
        }
        try writer.finish()
        report.timings.tableSeconds = lap()
        intermediate.remove()
        tracks.indices.remove()
        return report
    }
}
