internal import VidscanAnalysis
internal import VidscanBase
internal import VidscanResults

/// The analysis of one file, as often as it is run.
struct AnalysisJob: Sendable {
    let path: String
    /// `nil` if no file is to remain.
    let resultPath: String?
    let temporaryFolder: String
    let settings: Settings
    let models: ModelStore

    /// Sends all updates, then finishes the channel, whether the analysis succeeds or not.
    func run(into queue: UpdateQueue) async throws {
        defer { queue.finish() }
        let delivery = UpdateDelivery(queue: queue, settings: settings)
        let summary: Analysis.Summary
        if let resultPath {
            summary = try await analyze(settings, resultPath, delivery)
        } else {
            guard settings.render.options() == nil, !settings.report.page, !settings.track.keepsEmbeddings else {
                throw VidscanError(
                    .output,
                    "the settings request a video, a page or embeddings: give the path of a result folder for them",
                    input: path, stage: .open)
            }
            var settings = settings
            settings.write.formats = []
            let folder: WorkingItem
            do throws(SystemError) {
                folder = try .folder(for: "vidscan", in: try Folder(temporaryFolder), isPrivate: true)
            } catch {
                throw VidscanError.writing("cannot create a folder in \(temporaryFolder)", error, stage: .open)
            }
            defer { folder.remove() }
            summary = try await analyze(settings, folder.path + "/result", delivery)
        }
        try await delivery.finish(warnings: summary.warnings, notices: summary.notices)
    }

    private func analyze(
        _ settings: Settings, _ resultPath: String, _ delivery: UpdateDelivery
    ) async throws -> Analysis.Summary {
        try await Analysis(settings: settings, models: models, observer: delivery, consumer: delivery).run(
            input: path, resultPath: resultPath, replaces: settings.write.replaces)
    }
}
