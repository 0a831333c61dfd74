internal import VidscanBase
package import VidscanMedia
internal import VidscanResults

/// Reads the sampled frames of a video and sends them to the workers, as fast as the budget allows.
struct DecodeStage {
    let line: StageContext
    let settings: Settings
    let observer: any RunObserver

    func run(_ file: InputFile) async throws -> DecodingReport {
        try await CancellationFlag.run { try await read(file, cancellation: $0) }
    }

    private func read(_ file: InputFile, cancellation: CancellationFlag) async throws -> DecodingReport {
        var stage = VidscanError.Stage.open
        var lastTime: Int64?
        do {
            let reader = try FrameReader(
                path: file.absolutePath, options: FrameReader.Options(settings), cancellation: cancellation)
            line.opened.finish()
            observer.opened(file.name, info: reader.info)
            stage = .decode
            var sizes: [PictureSize] = []
            var runs = RunGrouping<SampledFrame>(settings.anchors)
            var sender = RunSender(line: line)
            while let frame = try await sender.next(from: reader) {
                lastTime = frame.microseconds
                let size = frame.geometry.displaySize
                if let first = sizes.first, settings.render.anonymize != nil {
                    try AnonymizeRequirements.checkSize(
                        size, first: first, microseconds: frame.microseconds, stage: .decode)
                }
                if sizes.count < 2, !sizes.contains(size) { sizes.append(size) }
                try await sender.send(runs.add(frame, at: (frame.microseconds, frame.epoch, size, frame.byteCount)))
            }
            try await sender.send(runs.finish())
            sender.finish()
            return DecodingReport(
                reader, sizes: sizes,
                isWholeVideo: settings.sample.start == nil && settings.sample.end == nil && settings.segment == nil)
        } catch let error as MediaError {
            if error.code == .cancelled { throw CancellationError() }
            throw VidscanError(.media(error.code), error.message, stage: stage, microseconds: lastTime)
        }
    }
}

/// Sends the runs of a video to the workers, each with the anchor before it.
private struct RunSender {
    let line: StageContext
    var anchor: Channel<KnownFrame>?
    /// Whether a credit has been taken that belongs to no run yet.
    var hasCredit = false

    /// Decodes the next sample, as soon as there is a credit for the run that contains it.
    mutating func next(from reader: FrameReader) async throws -> SampledFrame? {
        try await takeCredit()
        return try reader.next()
    }

    mutating func send(_ runs: [RunGrouping<SampledFrame>.Run]) async throws {
        for run in runs {
            let run = SampleSpan(frames: run.samples, previous: run.isFirst ? nil : anchor)
            // If a sample completes two runs, the second one has no credit yet.
            try await takeCredit()
            try await line.budget.add(bytes: run.byteCount)
            hasCredit = false
            line.runs.send(run)
            anchor = run.anchor
        }
    }

    mutating func finish() {
        if hasCredit { line.budget.giveBack(bytes: 0) }
        line.runs.finish()
    }

    private mutating func takeCredit() async throws {
        guard !hasCredit else { return }
        try await line.budget.take(bytes: 0)
        hasCredit = true
    }
}

extension FrameReader.Options {
    package init(_ settings: Settings) {
        self.init(
            rate: settings.sample.rate, start: settings.sample.start, end: settings.sample.end,
            segment: settings.segment, streamIndex: settings.sample.stream, limits: settings.sample.limits,
            filters: settings.filters)
        needsMapToSource = settings.rendering != nil
        if settings.detect.keepsUncertainFaces { decoderThreads = AnonymizeOptions.decoderThreads }
    }
}
