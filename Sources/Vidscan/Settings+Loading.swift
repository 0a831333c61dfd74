internal import Foundation
public import VidscanAnalysis

extension Settings {
    /// Makes the default settings, with one worker for each core.
    public init() {
        self.init(workers: max(1, ProcessInfo.processInfo.activeProcessorCount))
    }

    /// Loads the settings of a pipeline.
    ///
    /// - Parameters:
    ///   - pipeline: The name of a pipeline that comes with vidscan, such as `interview`, or the path of a YAML file or of
    ///     the `run.json` of an earlier run. A path contains a slash or ends in `.yaml`, `.yml` or `.json`.
    ///   - allowsFileFilters: Whether the filters of the pipeline may access files, the network or devices. A file cannot
    ///     grant itself this permission.
    /// - Throws: `PipelineFileError` with every problem in the file, or `SettingsError` if settings contradict each other.
    public init(pipeline: String, allowsFileFilters: Bool = false) throws {
        let file = try PipelineLibrary.load(pipeline, allowsFileFilters: allowsFileFilters)
        self = try ResolvedSettings(workers: Settings().detect.workers, file: file).settings
    }
}
