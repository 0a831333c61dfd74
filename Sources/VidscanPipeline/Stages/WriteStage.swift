internal import VidscanCore

/// The one ordered consumer: puts results back in time order, follows each face, writes.
struct WriteStage {
    struct Report: Sendable {
        var frames = 0
        var faces = 0
        var identities = 0
        var firstMicroseconds: Int64?
        var lastMicroseconds: Int64?
    }

    let line: AssemblyLine
    let options: AnalysisOptions
    let observer: any RunObserver

    func run(_ writer: ResultWriter) async throws -> Report {
        var order = ReorderBuffer<FrameResult>()
        var tracker = FaceTracker(options: options.tracking)
        var report = Report()
        while let result = try await line.results.receive() {
            for next in order.insert(result, sequence: result.sequence) {
                let ids = tracker.update(
                    boxes: next.faces.map(\.observation.box), seconds: Double(next.microseconds) / 1e6)
                try writer.write(next, ids: ids)
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
        report.identities = tracker.identityCount
        try writer.finish()
        return report
    }
}
