import AnalysisSupport
import VidscanResults
import VidscanMedia
import Foundation
import Synchronization
import Testing
import TestSupport
import VidscanAnalysis
import VidscanBase

@Suite("A failed run ends with its error and leaves nothing behind")
struct FailureTests {
    private func run(
        _ input: String, into folder: TemporaryFolder, replaces: Bool = false, observer: Recorder = Recorder(),
        configure: (inout Settings) throws -> Void = { _ in }
    ) async throws -> RunOutcome {
        var settings = Settings(workers: 2)
        try configure(&settings)
        return try await Analysis(settings: settings, models: try Models.store(concurrency: 2), observer: observer).run(
            input: input, resultPath: folder.path + "/clip.vidscan", replaces: replaces)
    }

    @Test("An input that cannot be opened ends the run with the reader's reason")
    func opening() async throws {
        let folder = try TemporaryFolder()
        let path = try Variants.path("audio.m4a")
        let error = await #expect(throws: VidscanError.self) { _ = try await run(path, into: folder) }
        #expect(error?.code == .media(.noVideo))
        #expect(error?.stage == .open)
        #expect(error?.description == "\(path): has no video stream")
        #expect(folder.entries == [])
    }

    @Test("A run whose output folder is removed ends with that error")
    func folderTakenAway() async throws {
        let folder = try TemporaryFolder()
        let observer = Recorder { progress in
            guard progress.frames == 3 else { return }
            for name in folder.entries where !name.contains("/") {
                try? FileManager.default.removeItem(atPath: folder.path + "/" + name)
            }
        }
        let error = await #expect(throws: VidscanError.self) {
            _ = try await run(Checkout.clip, into: folder, observer: observer) { $0.sample.end = 4_000_000 }
        }
        #expect(error?.code == .output)
        #expect(
            error?.description
                == "\(Checkout.clip): cannot read its temporary file .frames: No such file or directory")
        #expect(folder.entries == [])
    }

    @Test("A cancelled run ends at once as interrupted")
    func cancellation() async throws {
        let folder = try TemporaryFolder()
        let work = Mutex<Task<RunOutcome, any Error>?>(nil)
        // The run's own thread cancels it, so that no other test can delay the cancellation.
        let observer = Recorder { if $0.frames >= 3 { work.withLock { $0?.cancel() } } }
        let task = Task {
            try await run(Checkout.clip, into: folder, observer: observer) { $0.sample.rate = .everyFrame }
        }
        work.withLock { $0 = task }
        let error = await #expect(throws: VidscanError.self) { _ = try await task.value }
        #expect(error?.code == .interrupted)
        #expect(error?.description == "interrupted")
        // Of 500 frames, only those in flight for two workers were finished.
        #expect(observer.progress.count < 20)
        #expect(folder.entries == [])
    }

    @Test("A run that is cancelled before it starts does nothing")
    func cancelledBefore() async throws {
        let folder = try TemporaryFolder()
        let work = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await run(Checkout.clip, into: folder)
        }
        let error = await #expect(throws: VidscanError.self) { _ = try await work.value }
        #expect(error?.code == .interrupted)
        #expect(folder.entries == [])
    }

    @Test("An unwritable output folder is an error before any work")
    func unwritable() async throws {
        let folder = try TemporaryFolder()
        try folder.write("a file", to: "file")
        let models = try Models.store(concurrency: 2)
        for parent in [folder.path + "/file", "/proc/nowhere"] {
            let error = await #expect(throws: VidscanError.self) {
                _ = try await Analysis(settings: Settings(workers: 2), models: models, observer: Recorder()).run(
                    input: Checkout.clip, resultPath: parent + "/clip.vidscan", replaces: false)
            }
            #expect(error?.code == .output)
            #expect(error?.stage == .write)
            #expect(error?.description.hasPrefix("\(Checkout.clip): cannot create the folder \(parent): ") == true)
            #expect(error?.description.contains("\n") == false)
        }
        #expect(folder.entries == ["file"])
    }

    @Test("A frame over the size limit is an error")
    func limit() async throws {
        let folder = try TemporaryFolder()
        let error = await #expect(throws: VidscanError.self) {
            _ = try await run(Checkout.clip, into: folder) { $0.sample.limits.maximumPixels = 1000 }
        }
        #expect(error?.code == .media(.limitExceeded))
        #expect(folder.entries == [])
    }

    @Test(
        "A damaged video gives a partial result with a warning, also in run.json",
        arguments: ["truncated.mkv", "corrupt.ts"])
    func partly(name: String) async throws {
        let run = try await AnalysisRun(try Variants.path(name))
        let frames = try run.table("frames.csv").rows.count
        #expect(frames >= 10 && frames == run.summary.counts.sampledFrames)
        #expect(run.summary.warnings.count == 1)
        #expect(run.observer.warnings == run.summary.warnings)
        let record = try run.record()
        #expect(record.warnings == run.summary.warnings)
        if name == "truncated.mkv" {
            #expect(
                record.warnings == [
                    "the video ends at 1.920 s, although its duration is 3.000 s; the file may be truncated"
                ])
        } else {
            #expect(record.counts.damagedFramesOrPackets > 0)
            #expect(record.warnings[0].hasSuffix("; the frames that could be decoded were analysed"))
        }
    }
}
