internal import VidscanCore
internal import VidscanMedia

/// Reads the sampled frames of a video and hands them to the workers, as fast as the budget allows.
struct DecodeStage {
    struct Report: Sendable, Codable {
        var info: VideoInfo
        var statistics: ReadStatistics
        var displaySize: PictureSize?
        var filtering: FrameReader.Filtering?
        /// No window was asked for.
        var isWholeVideo: Bool
    }

    let line: AssemblyLine
    let options: AnalysisOptions
    let observer: any RunObserver

    func run(_ file: InputFile) async throws -> Report {
        let cancellation = CancellationFlag()
        return try await withTaskCancellationHandler {
            try await read(file, cancellation: cancellation)
        } onCancel: {
            cancellation.set()
        }
    }

    private func read(_ file: InputFile, cancellation: CancellationFlag) async throws -> Report {
        var stage = PipelineError.Stage.open
        var lastTime: Int64?
        do {
            let reader = try FrameReader(
                path: file.absolutePath, options: FrameReader.Options(options), cancellation: cancellation)
            observer.opened(file.name, info: reader.info)
            stage = .decode
            var displaySize: PictureSize?
            while let frame = try reader.next() {
                lastTime = frame.microseconds
                let size = frame.geometry.displaySize
                if let first = displaySize, options.render.anonymize != nil {
                    try HidingConditions.checkSize(
                        size, first: first, microseconds: frame.microseconds, stage: .decode)
                }
                displaySize = displaySize ?? size
                try await line.budget.take(bytes: frame.byteCount)
                try await line.frames.send(frame)
            }
            line.frames.finish()
            return Report(
                info: reader.info, statistics: reader.statistics, displaySize: displaySize,
                filtering: reader.filtering,
                isWholeVideo: options.start == nil && options.end == nil && options.segment == nil)
        } catch let error as MediaError {
            if error.code == .cancelled { throw CancellationError() }
            throw PipelineError(
                .media(error.code), error.message, stage: stage, microseconds: error.microseconds ?? lastTime)
        }
    }
}

extension DecodeStage.Report {
    /// Adds what came of the part of the video that follows.
    mutating func join(_ next: DecodeStage.Report) {
        statistics.join(next.statistics)
        displaySize = displaySize ?? next.displaySize
        filtering = filtering ?? next.filtering
    }
}

extension FrameReader.Options {
    init(_ options: AnalysisOptions) {
        self.init(
            rate: options.rate, start: options.start, end: options.end, segment: options.segment,
            streamIndex: options.streamIndex, limits: options.limits, filters: options.filters)
        if options.keepsDoubtfulFaces { decoderThreads = AnonymizeOptions.decoderThreads }
    }
}
