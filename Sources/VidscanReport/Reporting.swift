internal import Foundation
public import VidscanBase
public import VidscanMedia
internal import VidscanResults

/// Makes a report of a finished result: one self-contained HTML file that loads nothing from elsewhere.
public struct Reporting: Sendable {
    /// The options of a report.
    public struct Options: Sendable {
        /// Whether the page shows thumbnails of faces. Without them, it contains only numbers. `nil` shows them unless
        /// a video with hidden faces was made from the result.
        public var hasThumbnails: Bool?
        /// The video that the page plays.
        public var video = VideoChoice.source
        /// Makes a page that can be passed on: it shows no face, and names the video without its folder. It plays the
        /// video in which faces are hidden, if there is one in the result's folder.
        public var hidesFaces = false
        /// Accepts the video even if it has changed since the analysis.
        public var acceptsChangedSource = false
        public var limits = MediaLimits()

        public init() {}
    }

    /// Which video a page plays.
    public enum VideoChoice: Sendable, Equatable {
        /// The analysed one. If the result's folder has one in which faces are hidden, that one; or else, if the folder
        /// has a proxy, that.
        case source
        /// Another one with the same times, such as a small copy.
        case file(String)
        /// None: the page has only the curves.
        case none
    }

    /// The figures of a report that an index of several reports shows.
    public struct Summary: Sendable {
        /// The path of the page.
        public let path: String
        /// The number of face_ids.
        public let faces: Int
        /// What the user should know about the page; `nil` if nothing.
        public let notice: String?
        package let title: String
        /// The time of the last sample, in seconds.
        package let seconds: Double
        package let samples: Int
        package let cuts: Int
        package let warnings: Int
        /// Images of the faces that are visible for longest, as `data:` URLs.
        package let thumbnails: [String]
    }

    /// The maximum number of tracks on a page. More would make it too large for a browser.
    private static let maximumTracks = 500
    /// The maximum number of faces in the strip, and of their thumbnails.
    private static let maximumThumbnails = 60
    private static let maximumEvents = 2000
    private let options: Options

    public init(options: Options = Options()) {
        self.options = options
    }

    /// Writes a report.
    ///
    /// - Parameters:
    ///   - resultPath: The result folder of an analysis.
    ///   - input: The path of the video, if it has moved since the analysis. The video is needed only for thumbnails.
    ///   - outputPath: The path of the page; `nil` writes `report.html` into the result folder.
    ///   - replaces: Whether an existing file may be replaced.
    /// - Throws: `VidscanError`; then no output is left behind. Cancelling the task throws the code `interrupted`.
    public func run(
        resultPath: String, input: String? = nil, outputPath: String? = nil, replaces: Bool
    ) async throws -> Summary {
        try await BlockingWork.run(thread: "report", input: resultPath) { cancellation in
            try write(resultPath, input, outputPath ?? resultPath + "/report.html", replaces, cancellation)
        }
    }

    private func write(
        _ resultPath: String, _ input: String?, _ path: String, _ replaces: Bool, _ cancellation: CancellationFlag
    ) throws(VidscanError) -> Summary {
        if options.hidesFaces, case .file = options.video {
            throw VidscanError(.output, "a page that can be passed on plays only the video in which faces are hidden")
        }
        let result = try StoredResult(path: resultPath)
        let file = try AtomicFile(
            path: path, replaces: replaces, source: result.record.input.path, stage: .render)
        let allFaces = try ReportTables.faces(resultPath, measures: CurveBuilder.measures)
        let faces = Self.longestVisible(allFaces, maximum: Self.maximumTracks)
        let leftOut = Set(allFaces.map(\.id)).subtracting(faces.map(\.id))
        let events = try ReportTables.events(resultPath).filter { !leftOut.contains($0.faceID ?? 0) }
        let samples = try SampleTimes(resultPath)
        let shown = Self.longestVisible(faces, maximum: Self.maximumThumbnails)
        let hidesFaces = options.hidesFaces || result.hidesFaces
        let video = try video(of: result, input, hidesFaces: hidesFaces)
        var pictures: [Int: String] = [:]
        if options.hasThumbnails ?? !hidesFaces, !shown.isEmpty {
            let source = try result.source(override: input, acceptsChanges: options.acceptsChangedSource)
            let moments = shown.map { FaceMoment(faceID: $0.id, microseconds: $0.bestMicroseconds, box: $0.box) }
            pictures = try FacePictures.make(
                moments, of: result, from: source, limits: options.limits, cancellation: cancellation)
        }
        var facts = ReportFacts(result.record, namesFileOnly: hidesFaces, isShared: options.hidesFaces)
        var notices: [String] = []
        if !leftOut.isEmpty {
            notices.append(
                "the page has the \(faces.count) faces that are visible longest; tracks.csv has the other \(leftOut.count)"
            )
            facts.notices += notices
        }
        if hidesFaces, options.hasThumbnails == nil {
            facts.notices.append(
                options.hidesFaces
                    ? "the page was made without pictures of faces"
                    : "faces are hidden in the video, so the page has no thumbnails; --thumbnails adds them")
        }
        if hidesFaces, video == nil, options.video == .source {
            facts.notices.append(
                "the page has no video, because the result's folder has none in which faces are hidden")
        }
        let curves =
            video == nil
            ? try CurveBuilder(
                faces: faces, events: events, range: samples.range, interval: samples.interval
            ).build(resultPath) : ReportCurves(start: 0, end: 0, step: 1, metrics: [])
        var page = ReportPageMaker(
            facts: facts, faces: faces, shown: shown, events: Array(events.prefix(Self.maximumEvents)),
            eventCount: events.count, samples: samples, pictures: pictures
        ).page(curves)
        if options.hidesFaces, video != nil, result.hiding?.keepsNobody != true {
            notices.append("the video shows the people who were kept visible in it")
        }
        if let video {
            let builder = ReviewBuilder(
                result: result, faces: faces, leftOut: leftOut, events: events, samples: samples, pictures: pictures)
            let folder = FilePath.folder(of: FilePath.absolute(path))
            let (data, rows) = try builder.build(
                video, address: FilePath.relative(video.path, to: folder), hidesFaces: hidesFaces,
                title: options.hidesFaces ? facts.title : nil)
            page.review = ReportPage.Review(data: data, rows: rows)
            if !video.isWidelyPlayable {
                notices.append(
                    "most browsers cannot play \(result.record.video.codec) in such a file; --proxy makes a copy that they play"
                )
            }
        }
        try file.write(Self.text(path) { try page.html() })
        try file.complete()
        return Summary(
            path: path, faces: allFaces.count, notice: notices.isEmpty ? nil : notices.joined(separator: "; "),
            title: facts.title, seconds: samples.range.upperBound,
            samples: samples.count, cuts: events.count { $0.kind == "shot_cut" }, warnings: facts.warnings.count,
            thumbnails: shown.sorted { $0.visibleSeconds > $1.visibleSeconds }.prefix(5).compactMap { pictures[$0.id] })
    }

    /// Returns the video that the page plays; `nil` for a page without one.
    private func video(
        of result: StoredResult, _ input: String?, hidesFaces: Bool
    ) throws(VidscanError) -> PageVideo? {
        switch options.video {
        case .none: return nil
        case .file(let path):
            _ = try InputFile(path)
            return PageVideo(path: path, of: result, isSource: false)
        case .source:
            if hidesFaces {
                // An earlier version gave the same name to a video with visible faces.
                guard result.hiding?.isInverted != true else { return nil }
                return result.videoWithHiddenFaces.map { PageVideo(path: $0, of: result, isSource: false) }
            }
            let proxy = result.name + "/proxy.mp4"
            if input == nil, FileManager.default.fileExists(atPath: proxy) {
                return PageVideo(path: proxy, of: result, isSource: false)
            }
            let source: InputFile
            do {
                source = try result.source(override: input, acceptsChanges: options.acceptsChangedSource)
            } catch {
                throw VidscanError(
                    error.code, "\(error.reason); --no-video makes a page without it", input: error.input,
                    stage: error.stage)
            }
            return PageVideo(path: source.absolutePath, of: result, isSource: true)
        }
    }

    /// Writes an index page that links to the reports of several results.
    ///
    /// - Parameters:
    ///   - summaries: The summary of each report, or the error that prevented it.
    ///   - path: The path of the page.
    ///   - replaces: Whether an existing file may be replaced.
    /// - Throws: `VidscanError`.
    public static func writeIndex(
        _ summaries: [(result: String, outcome: Result<Summary, VidscanError>)], path: String, replaces: Bool
    ) throws(VidscanError) {
        let file = try AtomicFile(path: path, replaces: replaces, stage: .render)
        let folder = FilePath.folder(of: FilePath.absolute(path))
        let rows = summaries.map { result, outcome in
            switch outcome {
            case .success(let summary):
                ReportIndex.Row(
                    name: summary.title, link: FilePath.relative(summary.path, to: folder),
                    note: summary.warnings > 0 ? NumberText.count(summary.warnings, "warning") : nil,
                    cells: [
                        .init(TimeText.clock(Int64(summary.seconds * 1e6))), .init("\(summary.samples)"),
                        .init("\(summary.faces)"), .init("\(summary.cuts)"),
                    ], thumbnails: summary.thumbnails)
            case .failure(let error):
                ReportIndex.Row(
                    name: result, link: nil, note: error.reason, cells: Array(repeating: .init(""), count: 4),
                    thumbnails: [])
            }
        }
        let failures = summaries.count { if case .failure = $0.outcome { true } else { false } }
        let index = ReportIndex(
            title: NumberText.count(summaries.count, "result"),
            summary: failures == 0 ? "Each video links to its report." : "\(failures) of them could not be shown.",
            heads: [.init("length"), .init("samples"), .init("ids"), .init("cuts")], rows: rows)
        try file.write(Self.text(path) { try index.html() })
        try file.complete()
    }

    /// Renders a page.
    ///
    /// - Parameter path: The path of the page, for error messages.
    private static func text(_ path: String, _ make: () throws -> String) throws(VidscanError) -> String {
        do {
            return try make()
        } catch {
            throw VidscanError(.output, "cannot write \(path): \(error.localizedDescription)", stage: .render)
        }
    }

    /// Returns the faces that are visible for longest, ordered by face_id.
    private static func longestVisible(_ faces: [ReportedFace], maximum: Int) -> [ReportedFace] {
        faces.sorted { ($1.visibleSeconds, $0.id) < ($0.visibleSeconds, $1.id) }.prefix(maximum)
            .sorted { $0.id < $1.id }
    }
}

/// The presentation times of the samples.
struct SampleTimes {
    private(set) var microseconds: [Int64] = []
    var count: Int { microseconds.count }
    /// In seconds; 0 if there are no samples.
    var range: ClosedRange<Double> {
        Double(microseconds.first ?? 0) / 1e6...Double(microseconds.last ?? 0) / 1e6
    }
    /// The mean time between samples, in seconds.
    var interval: Double { count > 1 ? (range.upperBound - range.lowerBound) / Double(count - 1) : 0 }

    init(_ folder: String) throws(VidscanError) {
        let table = try TableReader(folder: folder, name: "frames.csv")
        let time = try table.column("time")
        while try table.next() {
            let next = try table.microseconds(time)
            guard next >= microseconds.last ?? next else { throw table.problem("time goes back") }
            microseconds.append(next)
        }
    }
}
