internal import VidscanBase
internal import VidscanFaces
internal import VidscanResults

/// Where the frames of a run go, in the order of time, and what becomes of them.
protocol FrameSink {
    /// - Parameter signature: of its picture, by which shots are told apart.
    func add(_ frame: FrameRecord, signature: FrameSignature) throws
    /// Takes note that no frame follows, and completes the files.
    func finish() throws -> WriteStage.Report
}

/// Makes the tables of a whole run: finds the shots and sets the frames aside as they come; when all have come, follows
/// each face through the video.
final class TableBuilder: FrameSink {
    private let settings: Settings
    private let folderPath: String
    private let intermediate: IntermediateFrameFile
    private let writer: ResultWriter
    private var shots = ShotDetector()
    private var jumps: [ShotChange] = []
    private var lastEpoch: Int?
    private var sampleCount = 0
    private var report = WriteStage.Report()

    /// - Parameters:
    ///   - folderPath: of the unfinished result.
    ///   - blendshapeNames: empty when they are not wanted.
    init(folderPath: String, settings: Settings, blendshapeNames: [String]) throws(VidscanError) {
        self.settings = settings
        self.folderPath = folderPath
        intermediate = try IntermediateFrameFile(
            path: folderPath + "/.frames",
            layout: FaceRecordLayout(hasMesh: settings.write.landmarks, blendshapeCount: blendshapeNames.count))
        // Made now, so that a full disk or a missing permission shows before the work and not after it.
        writer = try ResultWriter(
            folderPath: folderPath, formats: settings.write.formats, writesLandmarks: settings.write.landmarks,
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

    /// Where shots change and where timestamps jump, in order; at most one at each sample.
    private var boundaries: [ShotChange] {
        let jumped = Set(jumps.map(\.sample))
        return (shots.changes.filter { !jumped.contains($0.sample) } + jumps).sorted { $0.sample < $1.sample }
    }

    func finish() throws -> WriteStage.Report {
        shots.finish()
        let changes = boundaries
        report.hardCuts = changes.count { $0.kind == .hard }
        report.gradualCuts = changes.count { $0.kind == .gradual }
        try intermediate.finish()
        let clock = ContinuousClock()
        var begin = clock.now
        let tracks = try TrackingPass(settings: settings, changes: changes).run(
            intermediate, tracks: TrackIndexFile(path: folderPath + "/.tracks"))
        report.followSeconds = begin.duration(to: clock.now) / .seconds(1)
        begin = clock.now
        try OutputPass(settings: settings, changes: changes, following: tracks).run(
            intermediate, writer: writer, report: &report)
        try writer.finish()
        report.tableSeconds = begin.duration(to: clock.now) / .seconds(1)
        intermediate.remove()
        tracks.indices.remove()
        return report
    }
}
