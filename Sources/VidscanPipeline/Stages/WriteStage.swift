internal import VidscanCore
internal import VidscanFaces

/// The one ordered consumer: puts results back in time order, finds the shots and sets the faces aside; when all have
/// come, follows each face through the video and writes the tables.
struct WriteStage {
    struct Report: Sendable {
        var frames = 0
        var faces = 0
        var identities = 0
        var people = 0
        var tracksDropped = 0
        var hardCuts = 0
        var gradualCuts = 0
        var events = 0
        /// There were faces, but too few samples a second to tell blinks.
        var lacksBlinks = false
        var firstMicroseconds: Int64?
        var lastMicroseconds: Int64?
        var followSeconds = 0.0
        var tableSeconds = 0.0
    }

    let line: AssemblyLine
    let options: AnalysisOptions
    let observer: any RunObserver

    /// - Parameters:
    ///   - folderPath: of the unfinished result.
    ///   - blendshapeNames: empty when they are not wanted.
    func run(folderPath: String, blendshapeNames: [String]) async throws -> Report {
        let layout = SpoolLayout(blendshapeCount: blendshapeNames.count, keepsMesh: options.writesLandmarks)
        let spool = try FrameSpool(path: folderPath + "/.frames", layout: layout)
        // Made now, so that a full disk or a missing permission shows before the work and not after it.
        let writer = try ResultWriter(folderPath: folderPath, options: options, blendshapeNames: blendshapeNames)
        var (report, shots) = try await receive(into: spool)
        try spool.finish()
        let clock = ContinuousClock()
        var begin = clock.now
        let tracks = try FollowPass(options: options, changes: shots.changes).run(
            spool, tracks: TrackSpool(path: folderPath + "/.tracks"))
        report.followSeconds = begin.duration(to: clock.now) / .seconds(1)
        begin = clock.now
        try TablePass(options: options, changes: shots.changes, following: tracks).run(
            spool, writer: writer, report: &report)
        try writer.finish()
        report.tableSeconds = begin.duration(to: clock.now) / .seconds(1)
        spool.remove()
        tracks.spool.remove()
        return report
    }

    /// Sets every frame aside as it comes in order, and gives its credit back.
    private func receive(into spool: FrameSpool) async throws -> (Report, ShotDetector) {
        var order = ReorderBuffer<FrameResult>()
        var shots = ShotDetector()
        var report = Report()
        while let result = try await line.results.receive() {
            for next in order.insert(result, sequence: result.sequence) {
                shots.add(
                    next.signature, faces: next.faces.map { $0.observation.box.relative(to: next.displaySize) },
                    seconds: Double(next.microseconds) / 1e6)
                try spool.append(
                    FrameRecord(
                        microseconds: next.microseconds, index: next.index, size: next.displaySize,
                        faces: next.faces.map { FaceRecord($0, metrics: options.metrics) }))
                line.budget.giveBack(bytes: next.byteCount)
                report.frames += 1
                report.faces += next.faces.count
                report.firstMicroseconds = report.firstMicroseconds ?? next.microseconds
                report.lastMicroseconds = next.microseconds
                observer.progressed(
                    RunProgress(microseconds: next.microseconds, frames: report.frames, faces: report.faces))
            }
        }
        precondition(order.count == 0, "a sampled frame has no outcome")
        shots.finish()
        report.hardCuts = shots.changes.count { $0.kind == .hard }
        report.gradualCuts = shots.changes.count { $0.kind == .gradual }
        return (report, shots)
    }
}
