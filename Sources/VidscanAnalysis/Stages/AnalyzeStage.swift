internal import VidscanBase
internal import VidscanInference
internal import VidscanResults

/// One of several parallel workers: receives runs of samples, analyses their faces and sends the results on.
struct AnalyzeStage {
    let line: StageContext
    let settings: Settings
    let models: ModelStore
    /// The position of this worker, from 0.
    let number: Int

    func run() async throws -> StageTimes {
        _ = try await line.opened.receive()
        try prepare()
        let analyzer = RunAnalyzer(models: models, settings: settings, sessions: line.sessions)
        while let run = try await line.runs.receive() {
            for result in try await analyzer.analyze(run) { line.results.send(result) }
        }
        return analyzer.times
    }

    /// Loads models for the first face while the first frame is decoded and its faces are detected. Nearly every video
    /// shows one.
    private func prepare() throws(VidscanError) {
        if number == 0, settings.needsExpressions { _ = try models.expressionModel() }
        // A single worker would only delay the detector.
        guard number > 0, number == line.workerThreads.count - 1 else { return }
        do throws(InferenceError) {
            _ = try models.attentionMesh()
        } catch {
            throw VidscanError(.inference, error.reason, stage: .analyze)
        }
    }
}
