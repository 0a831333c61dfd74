internal import Foundation
internal import VidscanBase
internal import VidscanMedia
public import VidscanResults

/// Renders a video or picture from a finished result: draws its faces, or hides them.
public struct Rendering: Sendable {
    public let options: RenderOptions
    private let observer: any RunObserver

    public init(options: RenderOptions, observer: any RunObserver) {
        self.options = options
        self.observer = observer
    }

    /// The outcome of a rendering.
    public struct Summary: Sendable {
        /// The path of the new video.
        public let path: String
        public let frames: Int
        /// The time of the last frame, in seconds.
        public let seconds: Double
        /// The duration of the rendering, in seconds.
        public let wallSeconds: Double
        /// What became of the faces that were to stay visible when the others were hidden; `nil` if nobody was named.
        public let visibility: VisibilityTally?
        /// `faces hidden in 98 of 102 frames`, and whose sound the video has; `nil` if no faces are to be hidden.
        public let hidden: String?
    }

    /// Renders one video or picture in a single pass over the source: decode → draw → encode. If faces are hidden, a
    /// record of what was hidden when, and who was kept visible, is written beside it.
    ///
    /// - Parameters:
    ///   - resultPath: The result folder of an analysis.
    ///   - input: The path of the video, if it has moved since the analysis.
    ///   - outputPath: The path of the new video. Its extension selects the container. `nil` writes to the result
    ///     folder, as MP4 if that can hold all copied streams, otherwise as MKV. A picture becomes a JPEG or PNG file.
    ///   - replaces: Whether an existing file may be replaced.
    /// - Throws: `VidscanError`; then no output is left behind. Cancelling the task throws the code `interrupted`.
    public func run(
        resultPath: String, input: String? = nil, outputPath: String? = nil, replaces: Bool
    ) async throws -> Summary {
        let summary = try await run(
            resultPath: resultPath, name: resultPath, input: input, outputPath: outputPath, replaces: replaces,
            isNew: false)
        let folder = FilePath.folder(of: FilePath.absolute(summary.path))
        if let anonymize = options.anonymize, folder == FilePath.absolute(resultPath) {
            observer.warned(
                resultPath,
                message: IdentifyingFiles.notice(in: resultPath, isInverted: anonymize.isInverted))
        }
        return summary
    }

    /// Renders one video.
    ///
    /// - Parameters:
    ///   - name: The name of the result in messages.
    ///   - isNew: Whether this run has just written the tables.
    package func run(
        resultPath: String, name: String, input: String?, outputPath: String?, replaces: Bool, isNew: Bool
    ) async throws -> Summary {
        try await BlockingWork.run(thread: "render", input: name) { cancellation in
            try render(resultPath, name, input, outputPath, replaces: replaces, isNew: isNew, cancellation)
        }
    }

    private func render(
        _ resultPath: String, _ name: String, _ input: String?, _ outputPath: String?, replaces: Bool,
        isNew: Bool, _ cancellation: CancellationFlag
    ) throws(VidscanError) -> Summary {
        let begin = ContinuousClock.now
        let result = try StoredResult(path: resultPath)
        let hides = options.anonymize != nil
        let source = try result.source(
            override: input, acceptsChanges: options.acceptsChangedSource && !hides, acceptsCopies: !hides)
        let tables = hides ? try FaceTables(hiding: result) : FaceTables(drawing: result)
        if let anonymize = options.anonymize {
            try AnonymizePreconditions.check(tables.positions, for: anonymize)
            if !isNew { try tables.checkDigests(readsLandmarks: options.needsLandmarks) }
        }
        let painter = try FramePainter(options, tables: tables)
        let transcoder = try transcoder(of: source, result, cancellation)
        observer.opened(name, info: transcoder.info)
        let (path, format) = try destination(outputPath, in: resultPath, transcoder)
        let file = try AtomicFile(
            path: path, replaces: replaces, source: source.absolutePath, stage: .render)
        let recordPath = HidingRecord.path(of: path, isInResult: outputPath == nil)
        if hides { try AtomicFile.checkVacancy(recordPath, replaces: replaces) }
        var progress = RunProgress(microseconds: 0, frames: 0, faces: 0)
        do {
            let edit = { (frame: EditableFrame) in
                progress.microseconds = frame.microseconds
                progress.faces += try painter.paint(frame)
                progress.frames += 1
                observer.progressed(progress)
            }
            switch format {
            case .video(let container): try transcoder.run(to: file.writingPath, container: container, edit: edit)
            case .picture(let format): try file.write(try transcoder.picture(as: format, edit: edit))
            }
            try painter.finish()
        } catch let error as MediaError {
            throw VidscanError(
                VidscanError.Code(rendering: error.code), error.message, stage: .render,
                microseconds: error.microseconds ?? progress.microseconds)
        } catch let error as VidscanError {
            throw error
        } catch {
            throw VidscanError(.output, "\(error)", stage: .render)
        }
        if hides { try checkSameDecoding(of: source, by: transcoder, as: result) }
        try file.complete()
        let tally = painter.tally
        if let anonymize = options.anonymize, let tally {
            let record = try AtomicFile(path: recordPath, replaces: replaces, stage: .render)
            let content = HidingRecord(
                anonymize, video: options, analysis: result.record.pipeline, frames: transcoder.frameCount,
                tally: tally, spans: painter.hiddenSpans.shifted(by: transcoder.startMicroseconds),
                removedFaces: tables.removedFaces)
            try record.write(content.text())
            try record.complete()
        }
        reportProblems(transcoder, name: name)
        var hidden: String?
        if let anonymize = options.anonymize, !anonymize.isInverted {
            let frames = painter.hiddenSpans.frameCount
            let codecs =
                transcoder.soundCodecs.isEmpty
                ? "" : ", encoded again as \(transcoder.soundCodecs.joined(separator: " and "))"
            let sound =
                transcoder.copiesAudio ? "; the sound is that of the original\(codecs) (--no-audio leaves it out)" : ""
            let subtitles = transcoder.copiesSubtitles ? "; the subtitles are those of the original" : ""
            hidden =
                "faces hidden in \(frames) of \(NumberText.count(transcoder.frameCount, "frame"))\(sound)\(subtitles)"
            reportWeakness(anonymize, findsNothing: frames + (tally?.visibleFrames ?? 0) == 0, name: name)
        }
        if let anonymize = options.anonymize { reportCorrections(tables, anonymize.visible, name: name) }
        return Summary(
            path: path, frames: transcoder.frameCount, seconds: Double(progress.microseconds) / 1e6,
            wallSeconds: begin.duration(to: .now) / .seconds(1),
            visibility: options.anonymize?.visible.keepsSomebody == true ? tally : nil, hidden: hidden)
    }

    /// Warns about a video that may show more of the faces than the user expects.
    private func reportWeakness(_ chosen: AnonymizeOptions, findsNothing: Bool, name: String) {
        if findsNothing { observer.warned(name, message: "no face was found, so nothing is hidden") }
        let usual = AnonymizeOptions(method: chosen.method)
        var weaker: [String] = []
        if chosen.margin < usual.margin {
            weaker.append("margin \(NumberText.plain(chosen.margin)) instead of \(NumberText.plain(usual.margin))")
        }
        if [.blur, .pixelate].contains(chosen.method), chosen.resolvedStrength < usual.resolvedStrength {
            weaker.append(
                "strength \(NumberText.plain(chosen.resolvedStrength)) instead of"
                    + " \(NumberText.plain(usual.resolvedStrength))")
        }
        if chosen.holdSeconds < usual.holdSeconds {
            weaker.append(
                "hold \(NumberText.plain(chosen.holdSeconds)) s instead of \(NumberText.plain(usual.holdSeconds)) s")
        }
        if !weaker.isEmpty {
            observer.warned(
                name,
                message: "less is hidden than usual (\(weaker.joined(separator: ", "))): people may be recognisable")
        }
    }

    /// Says what became of the faces that corrections removed.
    private func reportCorrections(_ tables: FaceTables, _ choice: FaceChoice, name: String) {
        let shown = tables.removedFaces.intersection(choice.keptFaces)
        if !shown.isEmpty {
            observer.warned(
                name,
                message: "face_id \(ChosenFaces.ranges(shown)) stays visible because --keep-face names it: a correction"
                    + " removed it, but the detector found a face there")
        }
        let hidden = tables.removedFaces.subtracting(shown)
        guard let removed = tables.corrections?.record.corrections?.counts.facesRemoved, removed > 0,
            !hidden.isEmpty || shown.isEmpty
        else { return }
        let remedy =
            hidden.isEmpty ? "" : "; --keep-face would leave face_id \(ChosenFaces.ranges(hidden)) visible"
        observer.warned(
            name, message: "what corrections removed is hidden too, because the detector found faces there\(remedy)")
    }

    private func transcoder(
        of source: InputFile, _ result: StoredResult, _ cancellation: CancellationFlag
    ) throws(VidscanError) -> Transcoder {
        var wanted = transcoderOptions(result)
        return try VidscanError.media(stage: .open) { () throws(MediaError) in
            let transcoder = try Transcoder(source: source.absolutePath, options: wanted, cancellation: cancellation)
            guard options.isProxy, !transcoder.unsupportedCodecs(in: .mp4).isEmpty else { return transcoder }
            wanted.copiesAudio = false
            return try Transcoder(source: source.absolutePath, options: wanted, cancellation: cancellation)
        }
    }

    /// The height of a proxy of an upright frame; `nil` if the frame is small enough.
    static func proxyHeight(width: Int, height: Int) -> Int? {
        let shorter = min(width, height)
        guard shorter > RenderOptions.proxySide else { return nil }
        return (height * RenderOptions.proxySide / shorter + 1) / 2 * 2
    }

    private func transcoderOptions(_ result: StoredResult) -> Transcoder.Options {
        var transcoderOptions = Transcoder.Options(
            codec: options.codec, rateFactor: options.rateFactor, height: options.height,
            copiesAudio: options.copiesAudio, copiesSubtitles: options.copiesSubtitles,
            keepsMetadata: options.keepsMetadata ?? (options.anonymize == nil),
            streamIndex: result.record.video.stream, decoderThreads: ProcessInfo.processInfo.activeProcessorCount,
            limits: options.limits)
        if options.isProxy, let width = result.record.video.displayWidth, let height = result.record.video.displayHeight
        {
            transcoderOptions.height = Self.proxyHeight(
                width: result.record.filters?.sourceWidth ?? width,
                height: result.record.filters?.sourceHeight ?? height)
        }
        if options.anonymize != nil {
            // The frames must be decoded as the analysis decoded them.
            transcoderOptions.decoderThreads = AnonymizeOptions.decoderThreads
            transcoderOptions.skipsUnneededPackets = result.record.filters?.everyFrame != true
        }
        return transcoderOptions
    }

    /// Checks that the decoded frames are those that were analysed.
    ///
    /// - Throws: `VidscanError` if the source has changed, or if other packets or frames are damaged.
    private func checkSameDecoding(
        of source: InputFile, by transcoder: Transcoder, as result: StoredResult
    ) throws(VidscanError) {
        guard source.isUnchanged else {
            throw VidscanError(
                .changed, "the video \(source.name) changed while its faces were being hidden; no video was written",
                stage: .render)
        }
        let damage = transcoder.statistics.damage + transcoder.statistics.corruptPackets
        let analysed = result.record.counts.damagedFramesOrPackets
        guard damage == analysed else {
            throw VidscanError(
                .result,
                "decoding reported \(NumberText.count(damage, "error")) now, but \(analysed) when the video was analysed: faces"
                    + " may be at other positions; no video was written", stage: .render)
        }
    }

    /// What is written.
    private enum OutputFormat {
        case video(VideoContainer)
        case picture(PictureFormat)
    }

    /// Returns the path and the format of the new video or picture.
    private func destination(
        _ wanted: String?, in resultPath: String, _ transcoder: Transcoder
    ) throws(VidscanError) -> (String, OutputFormat) {
        if transcoder.info.isPicture {
            let preferred = PictureFormat(of: transcoder.info)
            let path = wanted ?? resultPath + "/" + options.name + "." + preferred.rawValue
            if let format = PictureFormat(path: path) { return (path, .picture(format)) }
            guard VideoContainer(path: path) != nil else {
                throw VidscanError(
                    .output, "cannot write \(path): name a file that ends in .jpg or .png", stage: .open)
            }
        }
        let preferred = options.isProxy ? .mp4 : transcoder.preferredContainer
        let path = wanted ?? resultPath + "/" + options.name + "." + preferred.rawValue
        guard let container = VideoContainer(path: path) else {
            throw VidscanError(
                .output, "cannot write \(path): name a file that ends in .mp4, .mov or .mkv", stage: .open)
        }
        let unsupported = transcoder.unsupportedCodecs(in: container)
        guard unsupported.isEmpty else {
            let remedy = container == preferred ? "" : "; name an .\(preferred.rawValue) file"
            throw VidscanError(
                .output,
                "cannot write \(path): \(container.rawValue.uppercased()) cannot contain \(unsupported.joined(separator: ", "))"
                    + remedy, stage: .open)
        }
        return (path, .video(container))
    }

    private func reportProblems(_ transcoder: Transcoder, name: String) {
        let damage = transcoder.statistics.damage + transcoder.statistics.corruptPackets
        if damage > 0 {
            observer.warned(
                name,
                message:
                    "decoding reported \(NumberText.count(damage, "error")); the frames that could be decoded were rendered"
            )
        }
        if let error = transcoder.statistics.readError {
            observer.warned(name, message: "reading ended early: \(error)")
        }
        if options.anonymize != nil, transcoder.subtitlesLeftOut > 0 {
            let count = transcoder.subtitlesLeftOut
            observer.warned(
                name,
                message:
                    "\(count) subtitle \(count == 1 ? "stream was" : "streams were") left out because subtitles may"
                    + " name people; --keep-subtitles copies them")
        }
        if transcoder.movedFrames > 0 {
            observer.warned(
                name,
                message:
                    "moved \(NumberText.count(transcoder.movedFrames, "frame")) with a repeated timestamp to one tick later"
            )
        }
        for stream in transcoder.omittedStreams {
            observer.warned(name, message: "left out \(stream)")
        }
        if transcoder.omittedPackets > 0 {
            let count = NumberText.count(transcoder.omittedPackets, "packet")
            observer.warned(
                name,
                message: "left out \(count) of sound or subtitles, because of damage or a time far outside of the video"
            )
        }
    }
}
