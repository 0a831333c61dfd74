import Foundation
import Testing
import TestSupport
import VidscanRender

/// A video that was rendered from an analysis.
struct RenderedRun {
    let analysis: AnalysisRun
    let path: String
    let warnings: [String]
    let summary: Rendering.Summary

    /// - Parameter configure: changes the default options, with which the video is lossless.
    init(_ analysis: AnalysisRun, configure: (inout RenderOptions) -> Void) async throws {
        self.analysis = analysis
        var options = RenderOptions()
        options.rateFactor = 0
        configure(&options)
        let observer = Recorder()
        summary = try await Rendering(options: options, observer: observer).run(
            resultPath: analysis.folder.path + "/" + AnalysisRun.resultName,
            outputPath: analysis.folder.path + "/\(UUID().uuidString).mp4", replaces: false)
        path = summary.path
        warnings = observer.warnings
    }

    func pixels(width: Int = 640, height: Int = 360) throws -> RawVideo {
        try RawVideo(path, width: width, height: height)
    }
}
