internal import Foundation
internal import VidscanCore
internal import VidscanFaces
internal import VidscanInference
internal import VidscanMedia

/// Analyses videos, one after another, with models that are loaded once.
public struct Analysis: Sendable {
    public let options: AnalysisOptions
    private let models: ModelStore
    private let observer: any RunObserver

    public init(options: AnalysisOptions, models: ModelStore, observer: any RunObserver) {
        self.options = options
        self.models = models
        self.observer = observer
    }

    /// What an analysis delivered.
    public struct Summary: Sendable {
        public let resultPath: String
        public let frames: Int
        public let faces: Int
        public let identities: Int
        /// From the first to the last moment of the video that was read, in microseconds.
        public let analysedMicroseconds: Int64
        public let wallSeconds: Double
        public let warnings: [String]
    }

    /// Analyses one video: decode and sample → analyse on every worker → back in order → track → write.
    ///
    /// - Parameters:
    ///   - input: path of a video or picture.
    ///   - resultPath: of the folder to deliver.
    ///   - replaces: whether an older result there may be replaced.
    /// - Throws: `PipelineError`; nothing is left behind then. Cancelling the task throws the code `interrupted`.
    public func run(input: String, resultPath: String, replaces: Bool) async throws -> Summary {
        do {
            let begin = ContinuousClock.now
            let file = try InputFile(input)
            let folder = try ResultFolder(finalPath: resultPath, replaces: replaces)
            defer { folder.discardUnlessComplete() }
            let outcome = try await analyze(file, into: folder)
            let wall = begin.duration(to: .now) / .seconds(1)
            try record(outcome, file: file, wallSeconds: wall).write(to: folder)
            if let rendering = options.rendering {
                _ = try await Rendering(options: rendering, observer: observer).run(
                    resultPath: folder.partialPath, name: file.name, input: nil, outputPath: nil, replaces: false)
            }
            if options.report.isWanted {
                var page = Reporting.Options()
                page.hasThumbnails = options.report.hasThumbnails
                page.limits = options.limits
                _ = try await Reporting(options: page).run(resultPath: folder.partialPath, replaces: false)
            }
            try folder.complete()
            return Summary(
                resultPath: resultPath, frames: outcome.written.frames, faces: outcome.written.faces,
                identities: outcome.written.identities, analysedMicroseconds: outcome.analysedMicroseconds,
                wallSeconds: wall, warnings: outcome.warnings)
        } catch {
            throw Self.describe(error, input: input)
        }
    }

    /// Runs the stages and waits for all of them. The first error ends every other stage, and is thrown.
    private func analyze(_ file: InputFile, into folder: ResultFolder) async throws -> RunOutcome {
        let line = AssemblyLine(options: options)
        defer { line.shutDown() }
        return try await withThrowingTaskGroup(of: StageResult.self) { group in
            group.addTask(executorPreference: line.decodeThread) {
                .decoded(try await DecodeStage(line: line, options: options, observer: observer).run(file))
            }
            for thread in line.workerThreads {
                group.addTask(executorPreference: thread) {
                    .analyzed(try await AnalyzeStage(line: line, options: options, models: models).run())
                }
            }
            let folderPath = folder.partialPath
            group.addTask(executorPreference: line.writeThread) {
                let blendshapeNames = options.writesBlendshapes ? try models.expressionModel().blendshapeNames : []
                let stage = WriteStage(line: line, options: options, observer: observer)
                return .written(try await stage.run(folderPath: folderPath, blendshapeNames: blendshapeNames))
            }
            var outcome = RunOutcome(input: file.name, blinkRate: options.events.blinkMinimumRate)
            var workersLeft = line.workerThreads.count
            for try await result in group {
                outcome.add(result)
                if case .analyzed = result { workersLeft -= 1 }
                if workersLeft == 0 { line.results.finish() }
            }
            for warning in outcome.warnings { observer.warned(file.name, message: warning) }
            return outcome
        }
    }

    private func record(_ outcome: RunOutcome, file: InputFile, wallSeconds: Double) throws(PipelineError) -> RunRecord
    {
        RunRecord(
            openvinoVersion: InferenceRuntime.version, models: try models.digests(),
            input: RunRecord.Input(path: file.absolutePath, bytes: file.bytes, modified: file.modified),
            pipeline: Configuration(analysis: options).record, workers: options.workers,
            filters: outcome.filters(options.filters), video: outcome.video, counts: outcome.counts,
            warnings: outcome.warnings,
            notices: outcome.notices,
            timings: RunRecord.Timings(
                wallSeconds: wallSeconds, resampleSeconds: outcome.times.resample, detectSeconds: outcome.times.detect,
                cropSeconds: outcome.times.crop, meshSeconds: outcome.times.mesh, measureSeconds: outcome.times.measure,
                lookSeconds: outcome.times.look, followSeconds: outcome.written.followSeconds,
                tableSeconds: outcome.written.tableSeconds)
        )
    }

    /// Any stage's error as one that names its input.
    private static func describe(_ error: any Error, input: String) -> PipelineError {
        switch error {
        case let error as PipelineError:
            return PipelineError(
                error.code, error.reason, input: error.code == .interrupted ? nil : input, stage: error.stage,
                microseconds: error.microseconds)
        case is CancellationError: return PipelineError(.interrupted, "interrupted")
        default: return PipelineError(.output, "\(error)", input: input)
        }
    }
}
