internal import VidscanBase
internal import VidscanInference
internal import VidscanResults

/// One of several parallel workers: receives runs of samples, analyses their faces and sends the results on.
struct AnalyzeStage {
    let line: StageContext
    let settings: Settings
    let models: ModelStore

    func run() async throws -> StageTimes {
        _ = try await line.opened.receive()
        try prepare()
        let analyzer = RunAnalyzer(models: models, settings: settings)
        while let run = try await line.runs.receive() {
            for result in try await analyzer.analyze(run) { line.results.send(result) }
        }
        return analyzer.times
    }

    /// Reads the models, which takes milliseconds, while the first frame is decoded; the first worker does it for all.
    ///
    /// - Throws: `VidscanError` with the code `setup`, because no other video can be analysed either.
    private func prepare() throws(VidscanError) {
        if settings.needsExpressions { _ = try models.expressionModel() }
        do throws(InferenceError) {
            _ = try models.faceDetector()
            _ = try models.attentionMesh()
        } catch {
            throw VidscanError(.setup, error.reason, stage: .analyze)
        }
    }
}
