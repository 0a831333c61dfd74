internal import VidscanBase
internal import VidscanResults

extension RunRecord {
    /// - Parameter tools: The versions of the software and the models that analysed the frames.
    init(
        _ outcome: RunOutcome, settings: Settings, input: Input, tools: Tools, wallSeconds: Double,
        segmentCount: Int? = nil
    ) throws(VidscanError) {
        var timings = outcome.written.timings
        timings.wallSeconds = wallSeconds
        self.init(
            input: input, pipeline: try RecordedSettings(settings.record), tools: tools,
            counts: outcome.written.counts, timings: timings, workers: outcome.times)
        if let decoded = outcome.decoded { add(decoded, filters: settings.filters) }
        workers = settings.detect.workers
        embeddings = outcome.written.embeddings.map(Embeddings.init(rows:))
        parts = segmentCount
        warnings = outcome.warnings
        notices = outcome.notices
    }
}
