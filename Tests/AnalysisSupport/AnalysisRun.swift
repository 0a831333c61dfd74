internal import VidscanInference
package import Foundation
internal import Synchronization
internal import Testing
package import TestSupport
package import VidscanAnalysis
package import VidscanBase
package import VidscanResults

/// One analysis with its own folder, and its results.
package struct AnalysisRun {
    package let folder: TemporaryFolder
    package let summary: RunOutcome
    package let observer: Recorder

    package static let resultName = "clip.vidscan"

    /// - Parameter configure: changes the settings from their defaults, with two workers.
    package init(_ input: String, configure: (inout Settings) throws -> Void = { _ in }) async throws {
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

    /// Returns a run that all tests share that ask for the same settings. They may add files to its folder, and change none.
    package static func shared(
        _ input: String, configure: (inout Settings) throws -> Void = { _ in }
    ) async throws -> AnalysisRun {
        var configured = Settings(workers: 2)
        try configure(&configured)
        let settings = configured
        let run = SharedRuns.runs.withLock { runs in
            if let run = runs.first(where: { $0.input == input && $0.settings == settings }) { return run.task }
            let task = Task {
                let run = try await AnalysisRun(input) { $0 = settings }
                run.folder.removeAtExit()
                return run
            }
            runs.append((input, settings, task))
            return task
        }
        return try await run.value
    }

    package func bytes(_ name: String) throws -> Data { try folder.bytes(Self.resultName + "/" + name) }
    package func table(_ name: String) throws -> CSVTable { try CSVTable(bytes: bytes(name)) }

    package func record() throws -> RunRecord {
        try RecordFile.decode(RunRecord.self, folder: "\(folder.path)/\(Self.resultName)", name: "run.json")
    }
}

/// The runs of `AnalysisRun.shared`.
private enum SharedRuns {
    static let runs = Mutex<[(input: String, settings: Settings, task: Task<AnalysisRun, any Error>)]>([])
}

/// The models, loaded once for each number of workers.
package enum Models {
    private static let stores = MutexDictionary<Int, ModelStore>()

    package static func store(concurrency: Int) throws -> ModelStore {
        try stores.value(for: concurrency) { try ModelStore() }
    }
}

extension CSVTable {
    /// Frame number, id and box of each row of `faces.csv`.
    package func faces() throws -> [TableFace] {
        let (frames, ids, times) = (try numbers("frame"), try numbers("face_id"), try numbers("time"))
        let boxes = try boxes()
        return rows.indices.map {
            TableFace(frame: Int(frames[$0]), id: Int(ids[$0]), seconds: times[$0], box: boxes[$0])
        }
    }
}

package struct TableFace: Equatable {
    package var frame: Int
    package var id: Int
    package var seconds: Double
    package var box: Rectangle
}
