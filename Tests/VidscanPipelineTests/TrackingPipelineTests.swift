import Foundation
import Testing
import VidscanInference
import VidscanMedia
import VidscanPipeline

@Suite struct TrackingPipelineTests {
    private struct Silent: RunObserver {
        func opened(_ input: String, info: VideoInfo) {}
        func progressed(_ progress: RunProgress) {}
        func warned(_ input: String, message: String) {}
    }

    private static let sample = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("samples/faces.mp4").path

    /// The tables of the sample clip, by name.
    private static func tables(workers: Int, _ change: (inout AnalysisOptions) -> Void = { _ in }) async throws
        -> [String: Data]
    {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var options = AnalysisOptions(workers: workers)
        options.formats = [.csv, .json]
        change(&options)
        let models = try ModelStore(concurrency: workers, precision: .exact)
        let analysis = Analysis(options: options, models: models, observer: Silent())
        _ = try await analysis.run(input: sample, resultPath: folder + "/result", replaces: false)
        var files: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder + "/result") where name != "run.json" {
            files[name] = try Data(contentsOf: URL(fileURLWithPath: folder + "/result/" + name))
        }
        return files
    }

    @Test func `tables are the same for any number of workers, and nothing else is left`() async throws {
        let one = try await Self.tables(workers: 1)
        let three = try await Self.tables(workers: 3)
        #expect(one.keys.sorted() == ["events.csv", "faces.csv", "faces.json", "frames.csv", "tracks.csv"])
        #expect(one == three)
    }

    @Test func `every cut of the sample is found, and person_id joins the two people's faces`() async throws {
        let files = try await Self.tables(workers: 2)
        let events = try #require(files["events.csv"]).text.split(separator: "\n").map { $0.split(separator: ",") }
        let cuts = events.filter { $0[1] == "shot_cut" }.compactMap { Double($0[0]) }
        #expect(cuts == [3, 6.6, 9.6, 11.6, 14.6, 17])
        let tracks = try #require(files["tracks.csv"]).text.split(separator: "\n").dropFirst()
        #expect(Set(tracks.map { $0.split(separator: ",", omittingEmptySubsequences: false)[1] }) == ["1", "2"])
    }

    @Test func `the most prominent person alone is kept, in every frame`() async throws {
        let files = try await Self.tables(workers: 2) { $0.maximumFaces = 1 }
        let rows = try #require(files["faces.csv"]).text.split(separator: "\n").dropFirst()
        #expect(Set(rows.map { $0.split(separator: ",", omittingEmptySubsequences: false)[8] }).count == 1)
    }
}

extension Data {
    fileprivate var text: String { String(decoding: self, as: UTF8.self) }
}
