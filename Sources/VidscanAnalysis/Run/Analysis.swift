internal import VidscanFaces
internal import Foundation
internal import VidscanBase
internal import VidscanInference
internal import VidscanMedia
package import VidscanResults

/// Analyses videos, one after another, with models that are loaded only once.
package struct Analysis: Sendable {
    package let settings: Settings
    private let models: ModelStore
    private let observer: any RunObserver
    private let consumer: (any RunConsumer)?
    private let addition: (any ResultAddition)?

    /// The consumer receives the values of each run in addition to the files. Without an addition, which makes the video
    /// and the page, settings that request them are refused.
    package init(
        settings: Settings, models: ModelStore, observer: any RunObserver, consumer: (any RunConsumer)? = nil,
        addition: (any ResultAddition)? = nil
    ) {
        (self.settings, self.models, self.observer, self.consumer) = (settings, models, observer, consumer)
        self.addition = addition
    }

    /// Analyses one video, or the segment of it that the settings select: decode and sample → analyse on every worker →
    /// restore time order → track → write. A segment ends before tracking. After an error, no unfinished result remains;
    /// if the task is cancelled, its code is `interrupted`.
    ///
    /// - Parameters:
    ///   - base: A folder on the result's path below which no link is followed; `nil` for the one that holds it.
    ///   - command: The command line for `run.json`; `nil` for a call of the library.
    package func run(
        input: String, resultPath: String, below base: String? = nil, replaces: Bool, command: [String]? = nil
    ) async throws -> RunOutcome {
        do {
            let begin = ContinuousClock.now
            let (started, processor) = (Date().formatted(.iso8601), Doctor.processorFact("model name"))
            let file = try InputFile(input)
            let finalizer = ResultFinalizer(settings: settings, observer: observer, addition: addition)
            if settings.segment == nil { try finalizer.check(resultPath: resultPath) }
            let folder = try ResultFolder(
                finalPath: resultPath, below: base, kind: settings.segment == nil ? .result : .segment,
                policy: replaces ? .replace : .keep)
            defer { folder.discardUnlessComplete() }
            let blendshapeNames = settings.write.blendshapes ? try models.expressionModel().blendshapeNames : []
            var outcome = try await analyze(file, into: folder, blendshapeNames: blendshapeNames)
            if settings.segment == nil { try outcome.requireSamples() }
            (outcome.resultPath, outcome.wallSeconds) = (resultPath, begin.duration(to: .now) / .seconds(1))
            let tools = Tools(openvinoVersion: InferenceRuntime.installedVersion, models: try models.digests())
            if let segment = settings.segment, let decoded = outcome.decoded {
                var part = try SegmentRecord(
                    of: file, segment: segment, resultName: ResultPaths.resultName(ofPart: resultPath, segment),
                    tools: tools, decoded: decoded, folderPath: folder.partialPath)
                (part.frames, part.blendshapeNames) = (outcome.counts.sampledFrames, blendshapeNames)
                (part.times, part.wallSeconds) = (outcome.times, outcome.wallSeconds)
                (part.started, part.processor) = (started, processor)
                try folder.write(SegmentRecord.File(pipeline: settings.record, part: part))
                if let previous = try folder.complete() {
                    observer.warned(file.name, message: previous.notice(resultPath))
                }
            } else {
                // Encoding a video takes as much memory as finding faces.
                if settings.rendering != nil { models.unload() }
                var record = try RunRecord(outcome, input: RunRecord.Input(file, sha256: outcome.digest), tools: tools)
                (record.started, record.processor, record.command) = (started, processor, command)
                outcome.visibility = try await finalizer.complete(folder, record: record, name: file.name)
            }
            return outcome
        } catch { throw Self.describe(error, input: input) }
    }

    /// Runs the stages and waits for all of them. The first error cancels the other stages and is thrown.
    private func analyze(
        _ file: InputFile, into folder: ResultFolder, blendshapeNames: [String]
    ) async throws -> RunOutcome {
        let line = try StageContext(settings: settings)
        defer { line.shutDown() }
        return try await withThrowingTaskGroup(of: StageResult.self) { group in
            group.addTask(executorPreference: line.decodeThread) {
                .decoded(try await DecodeStage(line: line, settings: settings, observer: observer).run(file))
            }
            for thread in line.workerThreads {
                group.addTask(executorPreference: thread) {
                    .analyzed(try await SpanAnalyzer(models: models, settings: settings).run(line))
                }
            }
            if settings.segment == nil, settings.sample.start == nil, settings.sample.end == nil {
                // Ahead of the decoder, which then finds the bytes in memory.
                group.addTask(executorPreference: line.digestThread) {
                    .hashed(try? FileDigest.sha256(path: file.absolutePath))
                }
            }
            let folderPath = folder.partialPath
            group.addTask(executorPreference: line.writeThread) {
                let sink: any FrameSink =
                    settings.segment == nil
                    ? try TableBuilder(
                        folderPath: folderPath, input: file.absolutePath, settings: settings,
                        blendshapeNames: blendshapeNames, models: { models }, consumer: consumer)
                    : try SegmentWriter(folderPath: folderPath, settings: settings, blendshapeNames: blendshapeNames)
                let stage = WriteStage(line: line, observer: observer, consumer: consumer)
                return .written(try await stage.run(into: sink))
            }
            var outcome = RunOutcome(input: file.name, settings: settings)
            var workersLeft = line.workerThreads.count
            for try await result in group {
                switch result {
                case .decoded(let report): outcome.decoded = report
                case .analyzed(let times):
                    outcome.times.add(times)
                    workersLeft -= 1
                    if workersLeft == 0 { line.results.finish() }
                case .written(let report): outcome.written = report
                case .hashed(let digest): outcome.digest = digest
                }
            }
            for warning in outcome.warnings { observer.warned(file.name, message: warning) }
            return outcome
        }
    }

    /// Does work on a frame and adds the frame's time to its errors.
    static func locating<Value>(_ frame: SampledFrame, _ work: () throws -> Value) throws(VidscanError) -> Value {
        do { return try work() } catch {
            let cause = describe(error)
            throw VidscanError(
                cause.code, cause.reason, stage: cause.stage ?? .analyze,
                microseconds: cause.microseconds ?? frame.microseconds)
        }
    }

    /// Converts an error of any stage to one that names the input, if there is one.
    static func describe(_ error: any Error, input: String? = nil) -> VidscanError {
        switch error {
        case let error as VidscanError:
            return VidscanError(
                error.code, error.reason, input: error.code == .interrupted ? nil : input, stage: error.stage,
                microseconds: error.microseconds)
        case let error as MediaError: return VidscanError(.media(error.code), error.message, input: input)
        case let error as InferenceError: return VidscanError(.inference, error.reason, input: input)
        case is CancellationError: return VidscanError(.interrupted, "interrupted")
        default: return VidscanError(.output, "\(error)", input: input)
        }
    }
}
