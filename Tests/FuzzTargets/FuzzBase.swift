import VidscanInference
import Foundation
import VidscanAnalysis
import VidscanBase
import VidscanInference
import VidscanMedia
import VidscanResults

/// A good result, good segments and their small video. Fuzzed inputs replace one or a few of these files.
package struct FuzzBase: Sendable {
    package let path: String

    var video: String { path + "/video.mp4" }
    static let result = "result"
    static let parts = ["part-0", "part-1"]

    /// - Parameter path: a folder that `make` has filled.
    package init(path: String) {
        self.path = path
    }

    /// Makes the video with ffmpeg, and analyses it.
    ///
    /// - Parameters:
    ///   - path: a folder, which is created if it is missing.
    ///   - clip: the video of which seconds 3 to 4 are used.
    package static func make(at path: String, clip: String) async throws -> FuzzBase {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let base = FuzzBase(path: path)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "ffmpeg", "-nostdin", "-v", "error", "-y", "-ss", "3", "-t", "1", "-i", clip, "-an",
            "-vf", "fps=4,scale=320:180", "-c:v", "mpeg4", "-q:v", "6", "-fflags", "+bitexact", base.video,
        ]
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw CocoaError(.fileWriteUnknown) }
        let models = try ModelStore()
        var settings = Settings(workers: 1)
        settings.sample.rate = .everyFrame
        settings.track.minimumSamples = 1
        for (number, part) in parts.enumerated() {
            settings.segment = VideoSegment(index: number, count: parts.count)
            try await analyze(base, part, settings, models)
        }
        settings.segment = nil
        settings.write.landmarks = true
        // Otherwise nothing could be hidden.
        settings.detectThoroughly()
        try await analyze(base, result, settings, models)
        return base
    }

    private static func analyze(
        _ base: FuzzBase, _ name: String, _ settings: Settings, _ models: ModelStore
    ) async throws {
        let analysis = Analysis(settings: settings, models: models, observer: SilentObserver())
        _ = try await analysis.run(input: base.video, resultPath: base.path + "/" + name, replaces: true)
    }

    /// All files except the video, by their relative paths.
    func files() -> [String] {
        ([Self.result] + Self.parts).flatMap { folder in
            ((try? FileManager.default.contentsOfDirectory(atPath: "\(path)/\(folder)")) ?? []).sorted().map {
                "\(folder)/\($0)"
            }
        }
    }
}

struct SilentObserver: RunObserver {
    func opened(_ input: String, info: VideoInfo) {}
    func progressed(_ progress: RunProgress) {}
    func warned(_ input: String, message: String) {}
}
