internal import VidscanBase
internal import VidscanMedia
internal import VidscanRender
internal import VidscanResults

/// Reads the sampled frames of a video and sends them to the workers, as fast as the budget allows.
struct DecodeStage {
    let line: StageContext
    let settings: Settings
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
                path: file.absolutePath, options: FrameReader.Options(settings), cancellation: cancellation)
            line.open(reader.info)
            observer.opened(file.name, info: reader.info)
            stage = .decode
            var displaySize: PictureSize?
            while let frame = try reader.next() {
                lastTime = frame.microseconds
                let size = frame.geometry.displaySize
                if let first = displaySize, settings.render.anonymize != nil {
                    try AnonymizePreconditions.checkSize(
                        size, first: first, microseconds: frame.microseconds, stage: .decode)
                }
                displaySize = displaySize ?? size
                try await line.budget.take(bytes: frame.byteCount)
                line.frames.send(frame)
            }
            line.frames.finish()
            return DecodingReport(
                reader, displaySize: displaySize,
                isWholeVideo: settings.sample.start == nil && settings.sample.end == nil && settings.segment == nil)
        } catch let error as MediaError {
            if error.code == .cancelled { throw CancellationError() }
            throw VidscanError(
                .media(error.code), error.message, stage: stage, microseconds: error.microseconds ?? lastTime)
        }
    }
}

extension FrameReader.Options {
    init(_ settings: Settings) {
        self.init(
            rate: settings.sample.rate, start: settings.sample.start, end: settings.sample.end,
            segment: settings.segment,
            streamIndex: settings.sample.stream, limits: settings.sample.limits, filters: settings.filters)
        if settings.detect.keepsUncertainFaces { decoderThreads = AnonymizeOptions.decoderThreads }
    }
}
