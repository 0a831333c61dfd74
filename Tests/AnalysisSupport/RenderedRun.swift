internal import Foundation
internal import Testing
package import TestSupport
package import VidscanRender
package import VidscanResults

/// A video that was rendered from an analysis.
package struct RenderedRun {
    package let analysis: AnalysisRun
    package let path: String
    package let warnings: [String]
    package let summary: Renderer.Summary

    /// - Parameter configure: changes the default options, with which the video is lossless.
    package init(_ analysis: AnalysisRun, configure: (inout RenderOptions) -> Void) async throws {
        self.analysis = analysis
        var options = RenderOptions()
        options.rateFactor = 0
        configure(&options)
        let observer = Recorder()
        summary = try await Renderer(options: options, observer: observer).run(
            resultPath: analysis.folder.path + "/" + AnalysisRun.resultName,
            outputPath: analysis.folder.path + "/\(UUID().uuidString).mp4", replaces: false)
        path = summary.path
        warnings = observer.warnings
    }

    package func pixels(width: Int = 640, height: Int = 360) throws -> RawVideo {
        try RawVideo(path, width: width, height: height)
    }
}
