internal import VidscanBase
internal import VidscanMedia
internal import VidscanRender
internal import VidscanResults

/// Reads the sampled frames of a video and hands them to the workers, as fast as the budget allows.
struct DecodeStage {
    let line: AssemblyLine
    let options: AnalysisOptions
    let observer: any RunObserver

    func run(_ file: InputFile) async throws -> DecodingReport {
        let cancellation = CancellationFlag()
        return try await withTaskCancellationHandler {
            try await read(file, cancellation: cancellation)
        } onCancel: {
            cancellation.set()
        }
    }

    private func read(_ file: InputFile, cancellation: CancellationFlag) async throws -> DecodingReport {
        var stage = VidscanError.Stage.open
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
            return DecodingReport(
                info: reader.info, statistics: reader.statistics, displaySize: displaySize,
                filtering: reader.filtering,
                isWholeVideo: options.start == nil && options.end == nil && options.segment == nil)
        } catch let error as MediaError {
            if error.code == .cancelled { throw CancellationError() }
            throw VidscanError(
                .media(error.code), error.reason, stage: stage, microseconds: error.microseconds ?? lastTime)
        }
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
