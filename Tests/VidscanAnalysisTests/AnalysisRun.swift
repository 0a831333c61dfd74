import VidscanInference
import Foundation
import Testing
import TestSupport
import VidscanAnalysis
import VidscanBase
import VidscanResults

/// One analysis with its own folder, and its results.
struct AnalysisRun {
    let folder: TemporaryFolder
    let summary: Analysis.Summary
    let observer: Recorder

    static let resultName = "clip.vidscan"

    /// - Parameter configure: changes the settings from their defaults, with two workers.
    init(_ input: String, configure: (inout Settings) throws -> Void = { _ in }) async throws {
        var settings = Settings(workers: 2)
        try configure(&settings)
        let folder = try TemporaryFolder()
        let observer = Recorder()
        let analysis = Analysis(
            settings: settings, models: try Models.store(concurrency: settings.detect.workers), observer: observer)
        summary = try await analysis.run(
            input: input, resultPath: folder.path + "/" + Self.resultName, replaces: false)
        self.folder = folder
        self.observer = observer
    }

    func bytes(_ name: String) throws -> Data { try folder.bytes(Self.resultName + "/" + name) }
    func table(_ name: String) throws -> CSVTable { try CSVTable(bytes: bytes(name)) }

    func record() throws -> RunRecord {
        try RecordFile.decode(RunRecord.self, folder: "\(folder.path)/\(Self.resultName)", name: "run.json")
    }
}

/// The models, loaded once for each number of workers.
enum Models {
    private static let stores = MutexDictionary<Int, ModelStore>()

    static func store(concurrency: Int) throws -> ModelStore {
        try stores.value(for: concurrency) { try ModelStore(precision: .exact) }
    }
}

extension CSVTable {
    /// Frame number, id and box of each row of `faces.csv`.
    func faces() throws -> [FaceRow] {
        let (frames, ids, times) = (try numbers("frame"), try numbers("face_id"), try numbers("time"))
        let boxes = try boxes()
        return rows.indices.map {
            FaceRow(frame: Int(frames[$0]), id: Int(ids[$0]), seconds: times[$0], box: boxes[$0])
        }
    }
}

struct FaceRow: Equatable {
    var frame: Int
    var id: Int
    var seconds: Double
    var box: Rectangle
}
