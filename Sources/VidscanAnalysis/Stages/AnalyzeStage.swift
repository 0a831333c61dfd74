internal import VidscanBase
internal import VidscanResults

/// One of several parallel workers: receives frames, analyses their faces and sends the results on.
struct AnalyzeStage {
    let line: StageContext
    let settings: Settings
    let models: ModelStore

    func run() async throws -> StageTimes {
        let analyzer = FaceAnalyzer(models: models, settings: settings)
        while let frame = try await line.frames.receive() {
            line.results.send(try analyzer.analyze(frame))
        }
        return analyzer.times
    }
}
