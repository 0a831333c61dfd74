internal import Foundation
public import VidscanAnalysis
public import VidscanBase
public import VidscanFaces
public import VidscanMedia

/// Finds, measures and tracks the faces in video files.
///
/// It loads the models once, so use one analyzer for many files, even at the same time.
///
///     let analyzer = try VideoAnalyzer()
///     let analysis = try await analyzer.analyze("movie.mp4")
///     for track in analysis.tracks { print(track.id, track.visibleSeconds) }
///
/// An analysis runs on its own threads, never blocks yours, opens no network connection and starts no program.
public struct VideoAnalyzer: Sendable {
    /// Includes what the settings imply: naming smiles, for example, measures them.
    public let settings: Settings
    let models: ModelStore
    /// For intermediate files without a result folder.
    package var temporaryFolder = FileManager.default.temporaryDirectory.path

    /// Finds the models and OpenVINO in `$VIDSCAN_HOME`, or where `make install` or the Debian package put them.
    ///
    /// - Parameter settings: must make no video or page, which only the command does.
    /// - Throws: `SettingsError` for a wrong or contradicting setting, or `VidscanError` with the code `setup` if the
    ///   models or OpenVINO are missing.
    public init(settings: Settings = Settings()) throws {
        let settings = try ResolvedSettings(settings).settings
        guard settings.rendering == nil, !settings.report.page else {
            throw SettingsError(
                "the settings request a video or a page ('render', 'report'), which only the command 'vidscan' makes")
        }
        self.settings = settings
        models = try ModelStore()
    }

    /// The names of the values in `Face.blendshapes`, in their order.
    public func blendshapeNames() throws(VidscanError) -> [String] { try models.expressionModel().blendshapeNames }

    /// Analyses a whole video or picture. Cancelling the task throws the code `interrupted`.
    ///
    /// The result has every face of every sampled frame, about 1 kB each. For long videos, `updates(for:writingTo:)`
    /// delivers the same values in fixed memory.
    ///
    /// - Parameter resultPath: A result folder to write as `vidscan analyze` does. By default, no file remains.
    /// - Returns: The values of `faces.csv`, `tracks.csv`, `events.csv` and `episodes.csv`, unrounded.
    public func analyze(_ path: String, writingTo resultPath: String? = nil) async throws(VidscanError) -> VideoAnalysis
    {
        var info: VideoInfo?
        var frames: [VideoFrame] = []
        var summary: VideoSummary?
        for try await update in updates(for: path, writingTo: resultPath) {
            switch update {
            case .opened(let found): info = found
            case .frame(let frame): frames.append(frame)
            case .finished(let found): summary = found
            case .sample, .faceAppeared, .faceLost: break
            }
        }
        guard let info, let summary else { throw VidscanError(.output, "the analysis has no end", input: path) }
        return VideoAnalysis(info: info, frames: frames, summary: summary)
    }

    /// Analyses a video or picture while you iterate.
    ///
    /// Each iterator starts an analysis, which waits for a slow consumer. To stop it, leave the loop or cancel the task.
    ///
    /// - Parameter resultPath: A result folder to write as `vidscan analyze` does. By default, no file remains.
    public func updates(for path: String, writingTo resultPath: String? = nil) -> VideoUpdates {
        VideoUpdates { queue in try await run(path, resultPath, into: queue) }
    }

    /// Finishes the queue even if the analysis fails.
    ///
    /// - Parameter resultPath: `nil` if no file is to remain.
    private func run(_ path: String, _ resultPath: String?, into queue: UpdateQueue) async throws {
        defer { queue.finish() }
        let delivery = UpdateDelivery(queue: queue, settings: settings)
        func analyze(_ settings: Settings, _ resultPath: String) async throws -> RunOutcome {
            try await Analysis(settings: settings, models: models, observer: delivery, consumer: delivery).run(
                input: path, resultPath: resultPath, replaces: settings.write.replaces)
        }
        let summary: RunOutcome
        if let resultPath {
            summary = try await analyze(settings, resultPath)
        } else {
            try require(
                !settings.track.keepsEmbeddings, .output,
                "the settings request embeddings: give the path of a result folder for them", input: path, stage: .open)
            var settings = settings
            settings.write.formats = []
            let folder = try WorkingItem.temporaryFolder(in: temporaryFolder)
            defer { folder.remove() }
            summary = try await analyze(settings, folder.path + "/result")
        }
        try await delivery.finish(warnings: summary.warnings, notices: summary.notices)
    }
}

extension Settings {
    /// The default settings, with a worker for each core.
    public init() { self.init(workers: min(256, ProcessInfo.processInfo.activeProcessorCount)) }

    /// Loads the settings of a pipeline.
    ///
    /// - Parameters:
    ///   - pipeline: A pipeline that comes with vidscan, such as `interview`, or the path of a YAML file or an earlier
    ///     `run.json`. A path contains a slash or ends in `.yaml`, `.yml` or `.json`.
    ///   - allowsFileFilters: Whether filters may access files, the network or devices. No file can permit this itself.
    /// - Throws: `PipelineFileError` with every problem in the file, or `SettingsError` for contradicting settings.
    public init(pipeline: String, allowsFileFilters: Bool = false) throws {
        let file = try PipelineLibrary.load(pipeline, filters: .run(allowsFiles: allowsFileFilters))
        self = try ResolvedSettings(workers: Settings().detect.workers, file: file).settings
    }
}

// Types of lower modules in this one's interface, so that `import Vidscan` is enough to name them.

/// All settings of an analysis, nested like a pipeline file.
public typealias Settings = VidscanAnalysis.Settings
/// A contradiction between settings, or a value out of its range.
public typealias SettingsError = VidscanAnalysis.SettingsError
/// All problems of a pipeline file, with their lines and columns.
public typealias PipelineFileError = VidscanAnalysis.PipelineFileError
/// Why an analysis failed: what happened, to which file, and when in the video.
public typealias VidscanError = VidscanBase.VidscanError
/// A measurement of a face, such as `.smile`.
public typealias Metric = VidscanFaces.Metric
/// A blink, a smile, a cut, a face that appears or disappears.
public typealias FaceEvent = VidscanFaces.FaceEvent
/// An interval: a smile, a face in sight, a shot.
public typealias Episode = VidscanFaces.Episode
/// The 478 points of a face.
public typealias FaceMesh = VidscanFaces.FaceMesh
/// What the container says about a video.
public typealias VideoInfo = VidscanMedia.VideoInfo
/// A point in pixels of the upright frame with square pixels, from its top left corner.
public typealias Point = VidscanBase.Point
/// A box in the same space as `Point`.
public typealias Rectangle = VidscanBase.Rectangle
/// A width and a height in pixels.
public typealias PictureSize = VidscanBase.PictureSize
