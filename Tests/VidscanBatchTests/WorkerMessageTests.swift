import Foundation
import Synchronization
import Testing
import TestSupport
import VidscanBatch

@Suite("What a worker says is understood, or its file fails at once")
struct WorkerMessageTests: JournalTesting {
    private final class Silence: BatchObserver {
        func progressed(_ progress: Batch.Progress) {}
        func delivered(_ path: String, report: WorkerReport, result: String, attempt: Int) {}
        func addedReport(_ path: String, result: String) {}
        func failed(_ path: String, reason: String, attempt: Int?) {}
        func lost(_ path: String) {}
        func postponed(_ path: String, reason: String) {}
        func warned(_ path: String, _ message: String, attempt: Int?) {}
        func waiting(forFiles count: Int) {}
    }

    /// Runs a batch of one file with a worker that reads its two messages and then runs these lines of shell.
    private func reasons(worker lines: String) async throws -> [String] {
        let folder = try TemporaryFolder()
        let input = try #require(InputFinder().find([try folder.write("a video", to: "a.mp4")]).inputs.first)
        let journal = try BatchJournal(folder: folder.path)
        _ = try register([input], in: journal)
        var options = Batch.Options()
        options.minimumFreeSpace = 0
        let batch = Batch(
            folder: folder.path, journal: journal, configuration: "c",
            command: ["/bin/sh", "-c", "read setup; read job; \(lines)"], options: options, observer: Silence())
        return try await batch.run([input]).failures.map(\.reason)
    }

    private static let done =
        #"{"done":{"_0":{"frames":1,"faces":1,"people":1,"events":0,"warnings":[],"videoSeconds":1,"wallSeconds":1}}}"#

    @Test("A message that cannot be read fails the file at once, whatever follows it")
    func garbage() async throws {
        for (line, shown) in [
            ("nonsense", "'nonsense'"), (#"{"finished":{}}"#, #"'{"finished":{}}'"#), ("", "''"),
            (String(repeating: "[", count: 5000), "'\(String(repeating: "[", count: 80))'"),
        ] {
            let reasons = try await reasons(worker: "printf '%s\\n' '\(line)'; echo '\(Self.done)'; exec sleep 1000")
            #expect(reasons == ["its worker sent something that is not a message: \(shown)"])
        }
    }

    @Test("A message without an end is not collected without bound")
    func endless() async throws {
        let reasons = try await reasons(worker: "exec tr '\\0' x </dev/zero")
        #expect(reasons == ["its worker sent something that is not a message: it is longer than 1048576 bytes"])
    }

    @Test("A worker that ends without reading its messages fails with its own words")
    func ended() async throws {
        let reasons = try await reasons(worker: "echo 'no library' >&2; exit 3")
        #expect(reasons == ["its worker ended with status 3: no library"])
    }

    @Test("A message that can be read counts")
    func control() async throws {
        #expect(try await reasons(worker: "echo '\(Self.done)'; exec sleep 1000") == [])
    }
}
