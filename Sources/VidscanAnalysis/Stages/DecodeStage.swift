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
            var runs = RunGrouping<SampledFrame>(settings.anchors)
            var anchor: AnchorExchange?
            while let frame = try reader.next() {
                lastTime = frame.microseconds
                let size = frame.geometry.displaySize
                if let first = displaySize, settings.render.anonymize != nil {
                    try AnonymizePreconditions.checkSize(
                        size, first: first, microseconds: frame.microseconds, stage: .decode)
                }
                displaySize = displaySize ?? size
                let position = RunGrouping<SampledFrame>.Position(
                    microseconds: frame.microseconds, epoch: frame.epoch, size: size, byteCount: frame.byteCount)
                try await send(runs.add(frame, at: position), after: &anchor)
            }
            try await send(runs.finish(), after: &anchor)
            line.runs.finish()
            return DecodingReport(
                reader, displaySize: displaySize,
                isWholeVideo: settings.sample.start == nil && settings.sample.end == nil && settings.segment == nil)
        } catch let error as MediaError {
            if error.code == .cancelled { throw CancellationError() }
            throw VidscanError(
                .media(error.code), error.message, stage: stage, microseconds: error.microseconds ?? lastTime)
        }
    }

    private func send(_ runs: [RunGrouping<SampledFrame>.Run], after anchor: inout AnchorExchange?) async throws {
        for run in runs {
            let run = SampleRun(frames: run.samples, previous: run.isFirst ? nil : anchor)
            try await line.budget.take(bytes: run.byteCount)
            line.runs.send(run)
            anchor = run.anchor
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
