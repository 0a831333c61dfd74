internal import VidscanFaces
internal import Foundation
internal import VidscanBase
internal import VidscanInference
internal import VidscanMedia
public import VidscanResults

/// Analyses videos, one after another, with models that are loaded only once.
public struct Analysis: Sendable {
    public let settings: Settings
    private let models: ModelStore
    private let observer: any RunObserver
    private let consumer: (any RunConsumer)?

    public init(settings: Settings, models: ModelStore, observer: any RunObserver) {
        self.settings = settings
        self.models = models
        self.observer = observer
        consumer = nil
    }

    /// - Parameter consumer: Receives the values of each run in addition to the files.
    package init(settings: Settings, models: ModelStore, observer: any RunObserver, consumer: any RunConsumer) {
        self.settings = settings
        self.models = models
        self.observer = observer
        self.consumer = consumer
    }

    /// The outcome of an analysis.
    public struct Summary: Sendable {
        public let resultPath: String
        public let frames: Int
        public let faces: Int
        /// The number of distinct face_ids; 0 for a segment.
        public let identities: Int
        /// The number of distinct person_ids, and of events; 0 for a segment.
        public let people: Int
        public let events: Int
        /// The time from the first to the last sampled frame, in microseconds.
        public let analysedMicroseconds: Int64
        public let wallSeconds: Double
        public let warnings: [String]
        /// Limits of the result that follow from the settings, in words.
        public let notices: [String]
        /// Those of the notices that say the same of every input that is analysed with these settings.
        public let commonNotices: [String]
        /// The number of segments that were merged; `nil` if a single run made the result.
        public let segmentCount: Int?

        /// - Parameter visibility: What became of people who were to stay visible, in words.
        init(
            _ outcome: RunOutcome, resultPath: String, wallSeconds: Double, segmentCount: Int? = nil,
            visibility: [String] = []
        ) {
            self.resultPath = resultPath
            frames = outcome.written.counts.sampledFrames
            faces = outcome.written.counts.faces
            identities = outcome.written.counts.faceIds
            people = outcome.written.counts.personIds
            events = outcome.written.counts.events
            analysedMicroseconds = outcome.analysedMicroseconds
            self.wallSeconds = wallSeconds
            warnings = outcome.warnings
            notices = outcome.notices + visibility
            commonNotices = outcome.commonNotices
            self.segmentCount = segmentCount
        }
    }

    /// Analyses one video, or the segment of it that the settings select: decode and sample → analyse on every worker →
    /// restore time order → track → write. A segment ends before tracking.
    ///
    /// - Parameters:
    ///   - input: The path of a video or image.
    ///   - resultPath: The path of the result folder.
    ///   - base: A folder on this path below which no link is followed; `nil` for the one that holds the result.
    ///   - replaces: Whether an existing result may be replaced.
    /// - Throws: `VidscanError`; no unfinished result remains. If the task is cancelled, the error's code is
    ///   `interrupted`.
    public func run(
        input: String, resultPath: String, below base: String? = nil, replaces: Bool
    ) async throws -> Summary {
        do {
            let begin = ContinuousClock.now
            let file = try InputFile(input)
            // A wrong number is found before the work.
            if settings.render.namesSomebody {
                _ = try EarlierPeople(resultPath: resultPath, settings: settings.render)
            }
            let folder = try ResultFolder(
                finalPath: resultPath, below: base, kind: settings.segment == nil ? .result : .segment,
                policy: replaces ? .replace : .keep)
            defer { folder.discardUnlessComplete() }
            let blendshapeNames = settings.write.blendshapes ? try models.expressionModel().blendshapeNames : []
            let outcome = try await analyze(file, into: folder, blendshapeNames: blendshapeNames)
            if settings.segment == nil { try outcome.requireSamples() }
            let wall = begin.duration(to: .now) / .seconds(1)
            var visibility: [String] = []
            let tools = Tools(openvinoVersion: InferenceRuntime.installedVersion, models: try models.digests())
            if let segment = settings.segment, let decoded = outcome.decoded {
                var part = try SegmentRecord(
                    of: file, segment: segment, resultName: ResultPaths.resultName(ofPart: resultPath, segment),
                    tools: tools, decoded: decoded, folderPath: folder.partialPath)
                part.frames = outcome.written.counts.sampledFrames
                part.blendshapeNames = blendshapeNames
                part.times = outcome.times
                part.wallSeconds = wall
                try folder.write(SegmentRecord.File(pipeline: settings.record, part: part))
                if let previous = try folder.complete() {
                    observer.warned(file.name, message: previous.notice(resultPath))
                }
            } else {
                // Encoding a video takes as much memory as finding faces.
                if settings.rendering != nil { models.unload() }
                let record = try RunRecord(
                    outcome, settings: settings, input: RunRecord.Input(file), tools: tools, wallSeconds: wall)
                visibility = try await ResultFinalizer(settings: settings, observer: observer).complete(
                    folder, record: record, name: file.name)
            }
            return Summary(outcome, resultPath: resultPath, wallSeconds: wall, visibility: visibility)
        } catch {
            throw Self.describe(error, input: input)
        }
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
                let stage = AnalyzeStage(line: line, settings: settings, models: models)
                group.addTask(executorPreference: thread) { .analyzed(try await stage.run()) }
            }
            let folderPath = folder.partialPath
            group.addTask(executorPreference: line.writeThread) {
                let sink: any FrameSink =
                    settings.segment == nil
                    ? try TableBuilder(
                        folderPath: folderPath, input: file.absolutePath, settings: settings,
                        blendshapeNames: blendshapeNames, models: { models }, consumer: consumer)
                    : try SegmentWriter(folderPath: folderPath, settings: settings, blendshapeNames: blendshapeNames)
                let stage = WriteStage(line: line, settings: settings, observer: observer, consumer: consumer)
                return .written(try await stage.run(into: sink))
            }
            var outcome = RunOutcome(input: file.name, settings: settings)
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

    /// Converts an error of any stage to one that names the input, if there is one.
    static func describe(_ error: any Error, input: String? = nil) -> VidscanError {
        switch error {
        case let error as VidscanError:
            return VidscanError(
                error.code, error.reason, input: error.code == .interrupted ? nil : input, stage: error.stage,
                microseconds: error.microseconds)
        case let error as MediaError:
            return VidscanError(.media(error.code), error.message, input: input, microseconds: error.microseconds)
        case let error as InferenceError: return VidscanError(.inference, error.reason, input: input)
        case is CancellationError: return VidscanError(.interrupted, "interrupted")
        default: return VidscanError(.output, "\(error)", input: input)
        }
    }
}
