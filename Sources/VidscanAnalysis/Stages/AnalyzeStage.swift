internal import VidscanBase
internal import VidscanResults

/// One of several parallel workers: receives runs of samples, analyses their faces and sends the results on.
struct AnalyzeStage {
    let line: StageContext
    let settings: Settings
    let models: ModelStore

    func run() async throws -> StageTimes {
        let analyzer = RunAnalyzer(models: models, settings: settings)
        while let run = try await line.runs.receive() {
            for result in try await analyzer.analyze(run) { line.results.send(result) }
        }
        return analyzer.times
    }
}
