internal import VidscanBase
internal import VidscanResults

/// One worker: takes frames as they come, finds their faces, passes the results on. Many run at once.
struct AnalyzeStage {
    let line: StageContext
    let settings: Settings
    let models: ModelStore

    func run() async throws -> StageTimes {
        let analyzer = FaceAnalyzer(models: models, settings: settings)
        while let frame = try await line.frames.receive() {
            try await line.results.send(try analyzer.analyze(frame))
        }
        return analyzer.times
    }
}
