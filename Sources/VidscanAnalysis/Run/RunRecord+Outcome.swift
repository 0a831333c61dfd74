internal import VidscanBase
internal import VidscanResults

extension RunRecord {
    /// - Parameter tools: The versions of the software and the models that analysed the frames.
    init(
        _ outcome: RunOutcome, settings: Settings, input: Input, tools: Tools, wallSeconds: Double,
        parts: Int? = nil
    ) {
        self.init(
            ffmpegVersion: tools.ffmpegVersion, openvinoVersion: tools.openvinoVersion, models: tools.models,
            input: input, pipeline: settings.record, workers: settings.detect.workers, parts: parts,
            filters: outcome.filters(settings.filters), video: outcome.video,
            discontinuities: outcome.discontinuities, counts: outcome.counts, warnings: outcome.warnings,
            notices: outcome.notices,
            timings: Timings(
                wallSeconds: wallSeconds, resampleSeconds: outcome.times.resample,
                detectSeconds: outcome.times.detect, cropSeconds: outcome.times.crop,
                meshSeconds: outcome.times.mesh, measureSeconds: outcome.times.measure,
                lookSeconds: outcome.times.look, followSeconds: outcome.written.followSeconds,
                tableSeconds: outcome.written.tableSeconds))
    }
}
