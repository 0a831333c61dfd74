import Foundation
import Glibc
import Testing
import TestSupport
import Vidscan
import VidscanBase

@Suite("However an analysis ends, nothing remains of it")
struct EndTests {
    @Test("Cancelling the task ends the sequence as interrupted, with its files removed")
    func cancellation() async throws {
        let folder = try TemporaryFolder()
        let analyzer = try Library.analyzer(in: folder, settings: Library.settings { $0.sample.rate = .everyFrame })
        let task = Task {
            var samples = 0
            do {
                for try await update in analyzer.updates(for: Checkout.clip) where update.sample != nil {
                    samples += 1
                    if samples == 3 { withUnsafeCurrentTask { $0?.cancel() } }
                }
            } catch {
                return (samples, error as? VidscanError, folder.entries)
            }
            return (samples, nil, folder.entries)
        }
        let (samples, error, entries) = await task.value
        #expect(samples == 3)
        #expect(error?.code == .interrupted)
        #expect(entries == [])
    }

    @Test("Intermediate files lie in a folder that only the user can read")
    func privacy() async throws {
        let folder = try TemporaryFolder()
        let analyzer = try Library.analyzer(in: folder, settings: Library.settings { $0.sample.end = 3_000_000 })
        var modes: Set<mode_t> = []
        for try await update in analyzer.updates(for: Checkout.clip) where update.sample != nil {
            for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
                var status = stat()
                if lstat(folder.path + "/" + name, &status) == 0 { modes.insert(status.st_mode) }
            }
        }
        #expect(modes == [S_IFDIR | 0o700])
        #expect(folder.entries == [])
    }

    @Test("What a killed process left is removed")
    func leftovers() async throws {
        let folder = try TemporaryFolder()
        let left = WorkingName("vidscan", .partial).text
        try FileManager.default.createDirectory(
            atPath: "\(folder.path)/\(left)/result", withIntermediateDirectories: true)
        _ = try await Library.analyzer(in: folder).analyze(try Variants.path("still.png"))
        #expect(folder.entries == [])
    }

    @Test("Cancelling an analysis in one call ends it as interrupted")
    func cancelledCall() async throws {
        let folder = try TemporaryFolder()
        let analyzer = try Library.analyzer(in: folder)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await analyzer.analyze(Checkout.clip)
        }
        let error = await #expect(throws: VidscanError.self) { _ = try await task.value }
        #expect(error?.code == .interrupted)
        #expect(folder.entries == [])
    }

    @Test("Leaving the loop stops the analysis and removes its files")
    func leaving() async throws {
        let folder = try TemporaryFolder()
        let analyzer = try Library.analyzer(in: folder, settings: Library.settings { $0.sample.rate = .everyFrame })
        var iterator: VideoUpdates.AsyncIterator? = analyzer.updates(for: Checkout.clip).makeAsyncIterator()
        let work = try #require(iterator?.task)
        for _ in 0..<3 { _ = try await iterator?.next() }
        iterator = nil
        let error = await #expect(throws: VidscanError.self) { try await work.value }
        #expect(error?.code == .interrupted)
        #expect(folder.entries == [])
    }

    @Test("An error in the middle of a file ends the sequence with that error")
    func middle() async throws {
        let folder = try TemporaryFolder()
        let analyzer = try Library.analyzer(in: folder, settings: Library.settings { $0.sample.end = 4_000_000 })
        var samples = 0
        let error = await #expect(throws: VidscanError.self) {
            for try await update in analyzer.updates(for: Checkout.clip) where update.sample != nil {
                samples += 1
                guard samples == 3 else { continue }
                for name in folder.entries where !name.contains("/") {
                    try FileManager.default.removeItem(atPath: folder.path + "/" + name)
                }
            }
        }
        #expect(error?.code == .output)
        #expect(error?.description.hasPrefix("\(Checkout.clip): cannot read its temporary file .frames") == true)
        #expect(samples == 20)
        #expect(folder.entries == [])
    }

    @Test("After an error, the sequence is at its end")
    func afterError() async throws {
        let folder = try TemporaryFolder()
        let path = try Variants.path("truncated_nomoov.mp4")
        var iterator = try Library.analyzer(in: folder).updates(for: path).makeAsyncIterator()
        let error = await #expect(throws: VidscanError.self) { _ = try await iterator.next() }
        #expect(error?.input == path && error?.stage == .open)
        #expect(try await iterator.next() == nil)
        #expect(folder.entries == [])
    }

    @Test("Embeddings need a result folder, because they are given nowhere else")
    func embeddings() async throws {
        let folder = try TemporaryFolder()
        let analyzer = try Library.analyzer(in: folder, settings: Library.settings { $0.track.keepsEmbeddings = true })
        let path = try Variants.path("still.png")
        let error = await #expect(throws: VidscanError.self) { _ = try await analyzer.analyze(path) }
        #expect(
            error?.reason
                == "the settings request embeddings: give the path of a result folder for them")
        _ = try await analyzer.analyze(path, writingTo: folder.path + "/result")
        #expect(folder.entries.filter { $0.hasSuffix(".npy") } == ["result/embeddings.npy"])
    }

    @Test(
        "A file that starts late, or is sampled rarely, is not taken for one that is cut off",
        arguments: ["starttime.mp4", "starttime.ts", "longgop.mp4"])
    func startsLate(name: String) async throws {
        let path = try Variants.path(name)
        let settings = Library.settings { $0.sample.rate = .perSecond(Rational(2, 5) ?? .one) }
        #expect(try await VideoAnalyzer(settings: settings).analyze(path).warnings == [])
    }

    @Test("A file that is cut off gives its first part and a warning")
    func cutOff() async throws {
        let analysis = try await VideoAnalyzer(settings: Library.settings()).analyze(try Variants.path("truncated.mkv"))
        // Without tables, too, a program is told why there are no blinks.
        #expect(analysis.notices.contains { $0.hasPrefix("no blinks") }, "\(analysis.notices)")
        #expect(analysis.frames.count >= 10)
        #expect(
            analysis.warnings == [
                "the video ends at 1.920 s, although its duration is 3.000 s; the file may be truncated"
            ])
    }
}
