import Foundation
import Testing
import TestSupport
import Vidscan

@Suite("A program sets what a pipeline file sets")
struct LibrarySettingsTests {
    @Test("Settings can be loaded from a shipped pipeline and from a file")
    func loading() throws {
        let interview = try Settings(pipeline: "interview")
        #expect(interview.sample.rate == .perSecond(12))
        #expect(interview.track.maximumFaces == nil)
        let folder = try TemporaryFolder()
        let path = try folder.write("sample: {rate: 3}\n", to: "mine.yaml")
        #expect(try Settings(pipeline: path).sample.rate == .perSecond(3))
        let error = #expect(throws: PipelineFileError.self) { try Settings(pipeline: "intervju") }
        #expect(error.map { "\($0)" }?.contains("there is no such pipeline") == true)
    }

    @Test("A value out of its range, or a contradiction, is an error before any work")
    func ranges() throws {
        #expect(throws: SettingsError("'detect.min_confidence' must be a number, 0 to 1")) {
            try VideoAnalyzer(settings: Library.settings { $0.detect.minimumConfidence = 2 })
        }
        #expect(throws: SettingsError.self) {
            try VideoAnalyzer(settings: Library.settings { $0.track.events.smileStopsBelow = 90 })
        }
        #expect(throws: SettingsError.self) {
            try VideoAnalyzer(settings: Library.settings { $0.detect.workers = 0 })
        }
    }

    @Test("A video or a page is an error before any work, because only the command makes them")
    func additions() throws {
        let expected = SettingsError(
            "the settings request a video or a page ('render', 'report'), which only the command 'vidscan' makes")
        #expect(throws: expected) { try VideoAnalyzer(settings: Library.settings { $0.report.page = true }) }
        #expect(throws: expected) { try VideoAnalyzer(settings: Library.settings { $0.render.overlay = true }) }
        #expect(throws: expected) { try VideoAnalyzer(settings: Library.settings { $0.render.anonymize = .blur }) }
    }

    @Test("Embeddings need a result folder, which then is that of the command")
    func resultFolder() async throws {
        let folder = try TemporaryFolder()
        let still = try Variants.path("still.png")
        let keeping = try Library.analyzer(in: folder, settings: Library.settings { $0.track.keepsEmbeddings = true })
        let error = await #expect(throws: VidscanError.self) { _ = try await keeping.analyze(still) }
        #expect(error?.code == .output && error?.reason.contains("give the path of a result folder") == true)
        #expect(folder.entries == [])
        let analyzer = try Library.analyzer(in: folder, settings: Library.settings())
        let analysis = try await analyzer.analyze(still, writingTo: folder.path + "/still.vidscan")
        #expect(analysis.tracks.count == 1)
        let names = [
            "episodes.csv", "events.csv", "faces.csv", "faces.record", "frames.csv", "quality.csv", "run.json",
            "tracks.csv",
        ]
        #expect(folder.entries == ["still.vidscan"] + names.map { "still.vidscan/" + $0 })
        let command = try CommandResult(still)
        #expect(try command.table("faces.csv") == CSVTable(path: folder.path + "/still.vidscan/faces.csv"))
    }
}
