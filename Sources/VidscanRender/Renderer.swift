internal import Foundation
internal import Glibc
internal import VidscanBase
internal import VidscanMedia
package import VidscanResults

/// Renders a video or picture from a finished result: draws its faces, or hides them.
package struct Renderer: Sendable {
    package let options: RenderOptions
    private let observer: any RunObserver

    package init(options: RenderOptions, observer: any RunObserver) {
        (self.options, self.observer) = (options, observer)
    }

    package struct Summary: Sendable {
        package let path: String
        package let frames: Int
        /// The time of the last frame.
        package let seconds: Double
        /// The duration of the rendering.
        package let wallSeconds: Double
        /// `nil` if nobody was to stay visible.
        package let visibility: VisibilityCount?
        /// `faces hidden in 98 of 102 frames`, and whose sound the video has; `nil` if no faces are to be hidden.
        package let hidden: String?
    }

    /// Renders in a single pass over the source. When hiding faces, writes a `HidingRecord` beside the output.
    ///
    /// - Parameters:
    ///   - resultPath: the result folder of an analysis. `name` names it in messages.
    ///   - input: the video, if it has moved since the analysis.
    ///   - outputPath: its extension selects the container. `nil` writes to the result folder, as MP4 if that holds all copied
    ///     streams, otherwise as MKV. A picture becomes a JPEG or PNG file.
    ///   - isNew: whether this run has just written the tables.
    /// - Throws: `VidscanError`, leaving no output behind; `interrupted` when the task is cancelled.
    package func run(
        resultPath: String, name: String? = nil, input: String? = nil, outputPath: String? = nil, replaces: Bool,
        isNew: Bool = false
    ) async throws -> Summary {
        let name = name ?? resultPath
        let summary = try await BlockingWork.run(thread: "render", input: name) { cancellation in
            try render(resultPath, name, input, outputPath, replaces: replaces, isNew: isNew, cancellation)
        }
        let folder = FilePath.folder(of: FilePath.absolute(summary.path))
        if !isNew, let anonymize = options.anonymize, folder == FilePath.absolute(resultPath) {
            let notice = IdentifyingFiles.notice(in: resultPath, isInverted: anonymize.isInverted)
            observer.warned(resultPath, message: notice)
        }
        return summary
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
        let folder = FilePath.resolved(FilePath.folder(of: FilePath.absolute(path)))
        let stem = (FilePath.name(of: path) as NSString).deletingPathExtension
        try require(
            outputPath == nil || folder != FilePath.resolved(resultPath)
                || !["overlay", "anonymized", "inverted", "proxy"].contains(stem), .exists,
            "\(path) is the name of a video of the result; leave out --output, or name another file", stage: .render)
        // Pages and readers would take one of another format, with other people hidden, for the new one.
        let endings =
            transcoder.info.isPicture ? PictureFormat.allCases.map(\.rawValue) : VideoContainer.allCases.map(\.rawValue)
        let earlier = endings.map { "\(resultPath)/\(options.name).\($0)" }
            .filter { outputPath == nil && hides && $0 != path && FileSystem.entry($0) != nil }
        for path in earlier { try AtomicFile.checkVacancy(path, replaces: replaces) }
        let file = try AtomicFile(path: path, replaces: replaces, source: source.absolutePath, stage: .render)
        let recordPath = (outputPath == nil ? (path as NSString).deletingPathExtension : path) + ".json"
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
            let writing: [MediaError.Code: VidscanError.Code] = [.io: .output, .diskFull: .diskFull]
            throw VidscanError(
                writing[error.code] ?? .media(error.code), error.message, stage: .render,
                microseconds: progress.microseconds)
        } catch { throw error as? VidscanError ?? VidscanError(.output, "\(error)", stage: .render) }
        if hides { try checkSameDecoding(of: source, by: transcoder, as: result) }
        var warnings = RenderWarnings.problems(of: transcoder, hidesFaces: hides)
        var hidden: String?
        if let anonymizer = painter.anonymizer {
            let record = try AtomicFile(path: recordPath, replaces: replaces, stage: .render)
            let weaknesses =
                RenderWarnings.weaknesses(of: options, anonymizer)
                + (options.copiesSubtitles ? ["subtitles are those of the original, and may name people"] : [])
            try record.write(
                HidingRecord.text(
                    anonymizer, in: transcoder, digest: Self.digest(of: file.writingPath), video: options,
                    analysis: result.record.pipeline, corrections: result.record.corrections, weaknesses: weaknesses))
            // Both are on the disk before one gets its name.
            try file.complete()
            try record.complete()
            for path in earlier { unlink(path) }
            if !anonymizer.options.isInverted {
                hidden =
                    "faces hidden in \(anonymizer.hiddenSpans.frameCount) of"
                    + " \(NumberText.count(transcoder.frameCount, "frame"))"
                    + (anonymizer.covers.map { ", \($0.words(releasedFrames: anonymizer.releasedFrames))" } ?? "")
                    + Self.kept(by: transcoder)
            }
            warnings += weaknesses + RenderWarnings.corrections(in: tables, anonymizer.options.visible)
        } else {
            try file.complete()
        }
        if !hides, !StoredResult.videosWithHiddenFaces(in: resultPath).isEmpty {
            warnings.append("\(FilePath.name(of: path)) shows every face; --anonymize hides them")
        }
        for warning in warnings { observer.warned(name, message: warning) }
        return Summary(
            path: path, frames: transcoder.frameCount, seconds: Double(progress.microseconds) / 1e6,
            wallSeconds: begin.duration(to: .now) / .seconds(1),
            visibility: options.anonymize?.visible.keepsSomebody == true ? painter.anonymizer?.tally : nil,
            hidden: hidden)
    }

    /// Throws if the record of a video with hidden faces names the path: it would then speak of one that shows them.
    private static func refuseHiddenVideo(_ path: String) throws(VidscanError) {
        for record in [path + ".json", (path as NSString).deletingPathExtension + ".json"] {
            // One that cannot be read, of a video that does not exist, is probably something else.
            let made = try? HiddenVideoRecord.read(FilePath.absolute(record))
            let mayHide = made == nil && FileSystem.entry(record) != nil && FileSystem.entry(path) != nil
            try require(
                !mayHide && (made?.invert == nil || made?.sha256 == nil), .exists,
                "\(record) says that \(path) is a video with hidden faces; name another file, or remove both",
                stage: .render)
        }
    }

    private static func kept(by transcoder: Transcoder) -> String {
        let codecs = transcoder.soundCodecs.joined(separator: " and ")
        let encoded = codecs.isEmpty ? "" : ", encoded again as \(codecs)"
        let tracks = transcoder.soundTracks > 1 ? "\(transcoder.soundTracks) sound tracks are those" : "sound is that"
        let sound = "; the \(tracks) of the original\(encoded) (--no-audio leaves it out)"
        let subtitles = "; the subtitles are those of the original"
        return (transcoder.soundTracks > 0 ? sound : "") + (transcoder.copiesSubtitles ? subtitles : "")
    }

    private func transcoder(
        of source: InputFile, _ result: StoredResult, _ cancellation: CancellationFlag
    ) throws(VidscanError) -> Transcoder {
        let (video, filters) = (result.record.video, result.record.filters)
        var wanted = Transcoder.Options(rateFactor: options.rateFactor)
        (wanted.codec, wanted.height) = (options.codec, options.height)
        (wanted.copiesAudio, wanted.copiesSubtitles) = (options.copiesAudio, options.copiesSubtitles)
        wanted.keepsMetadata = options.anonymize == nil
        if options.isProxy { wanted.containers = [.mp4] }
        wanted.reading.streamIndex = video.stream
        wanted.reading.decoderThreads = ProcessInfo.processInfo.activeProcessorCount
        wanted.reading.limits = options.limits
        if options.isProxy, let width = video.displayWidth, let height = video.displayHeight {
            let full = PictureSize(width: filters?.sourceWidth ?? width, height: filters?.sourceHeight ?? height)
            let isLarge = full.shortSide > RenderOptions.proxySide
            wanted.height = isLarge ? (full.height * RenderOptions.proxySide / full.shortSide + 1) / 2 * 2 : nil
        }
        if options.anonymize != nil {
            // The frames must be decoded as the analysis decoded them.
            wanted.reading.decoderThreads = AnonymizeOptions.decoderThreads
            wanted.reading.skipsUnneededPackets = filters?.everyFrame != true
        }
        return try VidscanError.media(stage: .open) { () throws(MediaError) in
            try Transcoder(source: source.absolutePath, options: wanted, cancellation: cancellation)
        }
    }

    private static func digest(of path: String) throws(VidscanError) -> String {
        try VidscanError.media(stage: .render) { () throws(MediaError) in try FileDigest.sha256(path: path) }
    }

    /// Throws if the source has changed, or if other packets or frames are damaged than in the analysis.
    private func checkSameDecoding(
        of source: InputFile, by transcoder: Transcoder, as result: StoredResult
    ) throws(VidscanError) {
        let expected = result.record.input.sha256
        let digest = try expected.map { _ throws(VidscanError) in try Self.digest(of: source.absolutePath) }
        try require(
            source.isUnchanged, .changed,
            "the video \(source.name) changed while its faces were being hidden; no video was written", stage: .render)
        try require(
            digest == expected, .changed,
            "\(source.name) is not the file that was analysed: its SHA-256 differs; no video was written",
            stage: .render)
        let (damage, analysed) = (transcoder.statistics.errors, result.record.counts.damagedFramesOrPackets)
        try require(
            damage == analysed, .result,
            "decoding reported \(NumberText.count(damage, "error")) now, but \(analysed) when the video was analysed:"
                + " faces may be at other positions; no video was written", stage: .render)
    }

    private enum OutputFormat { case video(VideoContainer), picture(PictureFormat) }

    private func destination(
        _ wanted: String?, in resultPath: String, _ transcoder: Transcoder
    ) throws(VidscanError) -> (String, OutputFormat) {
        let preferred = options.isProxy ? .mp4 : transcoder.preferredContainer
        let isPicture = transcoder.info.isPicture
        let suffix = isPicture ? PictureFormat(of: transcoder.info).rawValue : preferred.rawValue
        let path = wanted ?? resultPath + "/" + options.name + "." + suffix
        if options.anonymize == nil { try Self.refuseHiddenVideo(path) }
        if isPicture, let format = PictureFormat(path: path) { return (path, .picture(format)) }
        guard let container = VideoContainer(path: path) else {
            let endings = isPicture ? ".jpg or .png" : ".mp4, .mov or .mkv"
            throw VidscanError(.output, "cannot write \(path): name a file that ends in \(endings)", stage: .open)
        }
        let unsupported = transcoder.unsupportedCodecs(in: container)
        let remedy = container == preferred ? "" : "; name an .\(preferred.rawValue) file"
        try require(
            unsupported.isEmpty, .output,
            "cannot write \(path): \(container.rawValue.uppercased()) cannot contain"
                + " \(unsupported.joined(separator: ", "))\(remedy)", stage: .open)
        return (path, .video(container))
    }
}
