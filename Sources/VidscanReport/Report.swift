internal import VidscanBase
internal import VidscanFaces
package import VidscanMedia
internal import VidscanResults

/// The page of a finished result: one HTML file that refers to nothing but its video.
package struct Report: Sendable {
    package struct Options: Sendable {
        /// Whether to show faces. `nil` does unless the result has a video with hidden faces.
        package var hasThumbnails: Bool?
        package var video = VideoChoice.source
        /// Makes a page to pass on: no faces, no names of people and videos, and only a video with hidden faces.
        package var hidesFaces = false
        /// Accepts a video that has changed since the analysis.
        package var acceptsChangedSource = false
        package var limits = MediaLimits()

        package init() {}

        /// Of `vidscan report`, for another page like this one. A proxy in the result's folder is found without.
        var arguments: [String] {
            let thumbnails = hasThumbnails.map { [$0 ? "--thumbnails" : "--no-thumbnails"] } ?? []
            let others = thumbnails + (acceptsChangedSource ? ["--changed-source"] : [])
            return switch video {
            case .none: others + ["--no-video"]
            case .file(let path) where FilePath.name(of: path) != "proxy.mp4":
                others + ["--video", FilePath.absolute(path)]
            case .file, .source: others
            }
        }
    }

    package enum VideoChoice: Sendable, Equatable {
        /// The result's video with hidden faces, or else its proxy, or else the analysed one.
        case source
        /// Another one with the same times, such as a small copy.
        case file(String)
        /// The page has everything but the player.
        case none
    }

    package struct Summary: Sendable {
        package let path: String
        package let notice: String?
        let title: String
        let warnings: Int
        /// The time of the last sample, and how many samples, faces and cuts there are.
        let figures: [String]
        /// The faces that are visible for longest, as `data:` URLs by face_id.
        let thumbnails: [PageFact]
    }

    /// More tracks would make the page too large for a browser.
    private static let maximumTracks = 500
    /// Each person has one before anybody has a second one. Beyond the first number, they are smaller.
    private static let maximumThumbnails = 60, maximumSmallThumbnails = 300
    private let options: Options

    package init(options: Options = Options()) { self.options = options }

    /// Writes a report. On an error or a cancellation (`interrupted`), leaves no output behind. `input`: the video, if
    /// it has moved; only thumbnails and the player need it. `outputPath`: `nil` is `report.html` in the result.
    package func run(
        resultPath: String, input: String? = nil, outputPath: String? = nil, replaces: Bool
    ) async throws -> Summary {
        try await BlockingWork.run(thread: "report", input: resultPath) { cancellation in
            let path = outputPath ?? FilePath.joining(resultPath, "report.html")
            return try write(resultPath, input, path, replaces, cancellation)
        }
    }

    private func write(
        _ resultPath: String, _ input: String?, _ path: String, _ replaces: Bool, _ cancellation: CancellationFlag
    ) throws(VidscanError) -> Summary {
        if options.hidesFaces, case .file = options.video {
            throw VidscanError(.output, "a page to pass on plays only the video with hidden faces")
        }
        let result = try StoredResult(path: resultPath)
        let file = try AtomicFile(path: path, replaces: replaces, source: result.record.input.path, stage: .render)
        let allFaces = try ReportedFace.read(resultPath)
        let longest = allFaces.sorted { ($1.visibleSeconds, $0.id) < ($0.visibleSeconds, $1.id) }
        let faces = longest.prefix(Self.maximumTracks).sorted { $0.id < $1.id }
        let leftOut = Set(allFaces.map(\.id)).subtracting(faces.map(\.id))
        let events = try StoredEvent.read(resultPath, limit: ReadLimits.events, purpose: "for a page")
            .filter { !leftOut.contains($0.faceID ?? 0) }
        let hasEpisodes = FileSystem.entry("\(resultPath)/\(EpisodeTable.file)") != nil
        let episodes = try hasEpisodes ? Episode.read(resultPath, limit: ReadLimits.events, purpose: "for a page") : []
        let samples = try SampleTimes(folder: resultPath, mayBeEmpty: true)
        let hidesFaces = options.hidesFaces || result.hidesFaces
        let video = try video(of: result, input, page: path, hidesFaces: hidesFaces)
        let shown = Self.shown(faces)
        var pictures: [Int: String] = [:]
        if options.hasThumbnails ?? !hidesFaces, !shown.isEmpty, result.hasMapToSource {
            let mayBeGone = options.video == .none && options.hasThumbnails == nil
            let find = { () throws(VidscanError) in
                try result.source(override: input, acceptsChanges: options.acceptsChangedSource)
            }
            if let source = mayBeGone ? try? find() : try find() {
                pictures = try FacePictures.make(
                    shown.map { ($0.id, $0.bestMicroseconds, $0.box) }, of: result, from: source,
                    limits: options.limits, areSmall: shown.count > Self.maximumThumbnails, cancellation: cancellation)
            }
        }

        // These notices are about the result, which is not passed on.
        var pageNotices = options.hidesFaces ? [] : result.record.notices
        var notices: [String] = []
        if !leftOut.isEmpty {
            notices.append(
                "the page has the \(faces.count) faces that are visible longest; tracks.csv has the other \(leftOut.count)"
            )
            pageNotices += notices
        }
        if hidesFaces, options.hasThumbnails == nil {
            pageNotices.append(
                options.hidesFaces
                    ? "the page was made without pictures of faces"
                    : "the result has a video with hidden faces, so the page has no thumbnails; --thumbnails adds them")
        }
        if hidesFaces, video == nil, options.video == .source {
            pageNotices.append("the page has no video, because the result's folder has no video with hidden faces")
        }
        if options.hidesFaces, video != nil, result.hiding?.keepsNobody != true {
            notices.append("the video shows the people who were kept visible in it")
        }
        if options.hidesFaces, let video, !FilePath.relative(result.name, to: FilePath.folder(of: path)).isEmpty {
            notices.append("the page plays \(video.address) if that lies beside it")
        }
        let shownEpisodes = episodes.filter {
            ![.shot, .visible].contains($0.kind) && !leftOut.contains($0.faceID ?? 0)
        }
        if shownEpisodes.count > ReportPage.maximumEvents {
            pageNotices.append(
                "the page has the first \(ReportPage.maximumEvents) episodes, so its rates are too low; episodes.csv has all"
            )
        }
        if let video, !video.isWidelyPlayable {
            notices.append(
                "most browsers cannot play \(result.record.video.codec) in such a file; 'vidscan report --proxy --force' makes"
                    + " a copy that they play")
        }

        let title = options.hidesFaces ? "Video with hidden faces" : FilePath.name(of: result.record.input.path)
        let page = ReportPage(
            result: result, title: title, hidesFaces: hidesFaces, faces: faces, leftOut: leftOut, events: events,
            episodes: Array(shownEpisodes.prefix(ReportPage.maximumEvents)),
            samples: samples, pictures: pictures, video: video,
            options: options.arguments + (input.map { ["--input", FilePath.absolute($0)] } ?? []))
        try file.write(try page.html(for: path, notices: pageNotices))
        try file.complete()
        return Summary(
            path: path, notice: notices.isEmpty ? nil : notices.joined(separator: "; "), title: title,
            warnings: result.record.warnings.count,
            figures: [page.length, "\(samples.count)", "\(allFaces.count)", "\(events.count { $0.kind == .shotCut })"],
            thumbnails: shown.sorted { $0.visibleSeconds > $1.visibleSeconds }.prefix(5).compactMap { face in
                pictures[face.id].map { PageFact("\(face.id)", $0) }
            })
    }

    private func video(
        of result: StoredResult, _ input: String?, page: String, hidesFaces: Bool
    ) throws(VidscanError) -> PageVideo? {
        if case .file = options.video { _ = try result.mapToSource() }
        guard result.hasMapToSource else { return nil }
        // A page to pass on does not say where the video was.
        let make = { PageVideo(path: $0, of: result, isSource: $1, page: options.hidesFaces ? $0 : page) }
        switch options.video {
        case .none: return nil
        case .file(let path):
            _ = try InputFile(path)
            return make(path, false)
        case .source:
            if hidesFaces { return result.videoForPages.map { make($0, false) } }
            let proxy = result.name + "/proxy.mp4"
            if input == nil, FileSystem.entry(proxy) != nil { return make(proxy, false) }
            do {
                let source = try result.source(override: input, acceptsChanges: options.acceptsChangedSource)
                return make(source.absolutePath, true)
            } catch {
                throw VidscanError(
                    error.code, "\(error.reason); --no-video makes a page without it", input: error.input,
                    stage: error.stage)
            }
        }
    }

    /// The faces that have a picture, by face_id: of each person the one that is visible longest, then others.
    private static func shown(_ faces: [ReportedFace]) -> [ReportedFace] {
        var people: Set<Int> = []
        let longest = faces.sorted { $0.visibleSeconds > $1.visibleSeconds }
        let first = longest.filter { people.insert($0.personID ?? -$0.id).inserted }.prefix(maximumSmallThumbnails)
        let ids = Set(first.map(\.id))
        let others = longest.filter { !ids.contains($0.id) }.prefix(max(0, maximumThumbnails - first.count))
        return (first + others).sorted { $0.id < $1.id }
    }
}

struct PageVideo {
    /// Relative to the page.
    let address: String
    let isPicture, isSource: Bool
    /// Whether browsers usually play its codec and container.
    let isWidelyPlayable: Bool

    private static let pictures: Set = ["jpg", "jpeg", "png", "webp", "gif", "bmp", "avif"]
    private static let codecs: [String: Set<String>] = [
        "h264": ["mp4", "m4v", "mov"], "vp8": ["webm"], "vp9": ["webm", "mp4"], "av1": ["webm", "mp4"],
    ]

    init(path: String, of result: StoredResult, isSource: Bool, page: String) {
        address = FilePath.relative(path, to: FilePath.folder(of: page))
        let suffix = FilePath.fileExtension(of: path)
        let video = result.record.video
        isPicture = Self.pictures.contains(suffix) && video.durationSeconds == nil
        // vidscan wrote the other videos, or the user chose them for this.
        isWidelyPlayable = isPicture || !isSource || Self.codecs[video.codec]?.contains(suffix) == true
        self.isSource = isSource
    }
}
