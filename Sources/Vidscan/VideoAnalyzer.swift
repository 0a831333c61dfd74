internal import Foundation
public import VidscanAnalysis
public import VidscanBase
internal import VidscanFaces
internal import VidscanMedia

/// Finds, measures and tracks the faces in video files.
///
/// The models are loaded once, so use one analyzer for many files, also for several at the same time.
///
///     let analyzer = try VideoAnalyzer()
///     let analysis = try await analyzer.analyze("movie.mp4")
///     for track in analysis.tracks { print(track.id, track.visibleSeconds) }
///
/// An analysis runs on threads of its own and never blocks the caller's. It opens no network connection and starts no
/// program.
public struct VideoAnalyzer: Sendable {
    /// The settings, with what they imply: hiding faces, for example, analyses every frame.
    public let settings: Settings
    private let models: ModelStore
    /// Where intermediate files lie while no result folder is written.
    package var temporaryFolder = FileManager.default.temporaryDirectory.path

    /// Finds the models and OpenVINO in `$VIDSCAN_HOME` or, if that is not set, where `make install` and the Debian
    /// package put them.
    ///
    /// - Parameter settings: The settings of every analysis. `segment` must be `nil`, because a segment has no tracks.
    /// - Throws: `SettingsError` if a setting is out of its range or contradicts another one, or `VidscanError` with the
    ///   code `setup` if the models or OpenVINO are missing.
    public init(settings: Settings = Settings()) throws {
        guard settings.segment == nil else {
            throw SettingsError("a segment has no tracks; 'sample.start' and 'sample.end' select a part of a video")
        }
        self.settings = try ResolvedSettings(settings).settings
        models = try ModelStore(precision: settings.detect.precision)
    }

    /// The names of the values in `Face.blendshapes`, in their order.
    ///
    /// - Throws: `VidscanError` if the expression model cannot be read.
    public func blendshapeNames() throws(VidscanError) -> [String] { try models.expressionModel().blendshapeNames }

    /// Analyses a whole video or picture.
    ///
    /// The result has every face of every sampled frame, about 1 kB each. For long videos, `updates(for:writingTo:)`
    /// delivers the same values in a fixed amount of memory. If the task is cancelled, the analysis stops.
    ///
    /// - Parameters:
    ///   - path: The path of a video or picture.
    ///   - resultPath: The path of a result folder to write as `vidscan analyze` does. By default, no file remains.
    /// - Returns: The values that `vidscan analyze` writes to `faces.csv`, `tracks.csv` and `events.csv`, unrounded.
    /// - Throws: `VidscanError`; its code is `interrupted` if the task was cancelled.
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

    /// Returns a sequence that analyses a video or picture while you iterate over it.
    ///
    /// Each iteration is an analysis of its own, which begins with the iterator and waits when the consumer is slow. To
    /// stop it, leave the loop or cancel the task.
    ///
    /// - Parameters:
    ///   - path: The path of a video or picture.
    ///   - resultPath: The path of a result folder to write as `vidscan analyze` does. By default, no file remains.
    public func updates(for path: String, writingTo resultPath: String? = nil) -> VideoUpdates {
        VideoUpdates(
            job: AnalysisJob(
                path: path, resultPath: resultPath, temporaryFolder: temporaryFolder, settings: settings,
                models: models))
    }
}
