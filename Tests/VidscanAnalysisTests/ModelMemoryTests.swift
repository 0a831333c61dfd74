import Foundation
import Synchronization
import Testing
import AnalysisSupport
import TestSupport
import VidscanAnalysis
import VidscanInference
import VidscanBase
import VidscanMedia
import VidscanRender
import VidscanResults

@Suite("Models are in memory only as long as they are needed")
struct ModelMemoryTests {
    /// Records after which frames the models are in memory, of runs that follow each other.
    private final class Watcher: RunObserver {
        let models: ModelStore
        private let states = Mutex<[Bool]>([])

        init(_ models: ModelStore) {
            self.models = models
        }

        /// The states in their order, without repetitions.
        var loaded: [Bool] { states.withLock { $0 } }

        func opened(_ input: String, info: VideoInfo) {}

        func progressed(_ progress: RunProgress) {
            let isLoaded = models.isLoaded
            states.withLock { if $0.last != isLoaded { $0.append(isLoaded) } }
        }

        func warned(_ input: String, message: String) {}
    }

    /// Makes the video as the command does.
    private struct Video: ResultAddition {
        func check(_ settings: Settings, resultPath: String) {}

        func make(
            _ settings: Settings, in folder: String, resultPath: String, name: String, observer: any RunObserver
        ) async throws -> [String] {
            guard let options = settings.rendering else { return [] }
            _ = try await Renderer(options: options, observer: observer).run(
                resultPath: folder, name: name, input: nil, outputPath: nil, replaces: false, isNew: true)
            return []
        }
    }

    @Test("Without somebody to make a video or a page, settings that request one are refused before any work")
    func refusal() async throws {
        let folder = try TemporaryFolder()
        for change in [{ $0.render.anonymize = .blur }, { $0.report.page = true }] as [(inout Settings) -> Void] {
            var settings = Settings(workers: 1)
            change(&settings)
            let analysis = Analysis(settings: settings, models: try Models.store(concurrency: 1), observer: Recorder())
            let error = await #expect(throws: VidscanError.self) {
                _ = try await analysis.run(input: Checkout.clip, resultPath: folder.path + "/result", replaces: false)
            }
            #expect(error?.reason == "the settings request a video or a page, which only the command 'vidscan' makes")
        }
        #expect(folder.entries == [])
    }

    @Test("A video is made without the models, and the next input loads them again")
    func rendering() async throws {
        let folder = try TemporaryFolder()
        var settings = Settings(workers: 2)
        settings.sample.end = 1_000_000
        let models = try ModelStore()
        let watcher = Watcher(models)
        for (number, makesVideo) in [false, true, true].enumerated() {
            settings.render.overlay = makesVideo
            _ = try await Analysis(settings: settings, models: models, observer: watcher, addition: Video()).run(
                input: Checkout.clip, resultPath: folder.path + "/\(number)", replaces: false)
        }
        // The first input's models stay for the second one. Its video is made without, like that of the third.
        #expect(watcher.loaded == [true, false, true, false])
        let tables = try (0..<3).map { try folder.bytes("\($0)/faces.csv") }
        #expect(tables[0].count > 100)
        #expect(tables[1] == tables[0] && tables[2] == tables[0])
    }
}
