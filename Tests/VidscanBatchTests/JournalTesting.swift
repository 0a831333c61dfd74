import Foundation
import Synchronization
import Testing
import VidscanBase
import VidscanBatch

/// Helpers of the tests that use a journal.
protocol JournalTesting {}

extension JournalTesting {
    /// A process on another machine, of which nobody here can tell whether it runs.
    var otherMachine: String { "another-machine:1:1" }

    func input(_ path: String, resultPath: String? = nil, bytes: Int64 = 10, modified: Int64 = 1) -> BatchInput {
        BatchInput(
            path: path, resultPath: resultPath ?? (path as NSString).lastPathComponent + ".vidscan",
            state: FileState(bytes: bytes, modified: modified), isNamed: true)
    }

    func register(
        _ inputs: [BatchInput], in journal: BatchJournal, configuration: String = "c", retries: Int = 2,
        forced: Bool = false, onlyFailed: Bool = false, hasResult: Bool = false
    ) throws -> [BatchJournal.PlannedInput] {
        var selection = BatchJournal.Selection()
        selection.retries = retries
        selection.isForced = forced
        selection.isOnlyFailed = onlyFailed
        return try journal.register(inputs, configuration: configuration, selection: selection) { _ in hasResult }
    }

    func reasons(
        _ inputs: [BatchInput], in journal: BatchJournal, configuration: String = "c", retries: Int = 2,
        forced: Bool = false, onlyFailed: Bool = false, hasResult: Bool = false
    ) throws -> [BatchJournal.Reason] {
        try register(
            inputs, in: journal, configuration: configuration, retries: retries, forced: forced,
            onlyFailed: onlyFailed, hasResult: hasResult
        ).map(\.reason)
    }

    func claim(_ resultPath: String, in journal: BatchJournal) throws -> BatchJournal.Item? {
        try journal.claim(among: [PathBytes(resultPath)], configuration: "c")
    }

    /// Claims an input and ends the attempt.
    func finish(
        _ resultPath: String, in journal: BatchJournal, _ outcome: BatchJournal.Outcome, retries: Int = 2
    ) throws {
        let item = try #require(try claim(resultPath, in: journal))
        try journal.finish(item, outcome, retries: retries)
    }

    var done: BatchJournal.Outcome {
        var report = WorkerReport()
        (report.frames, report.faces, report.videoSeconds, report.wallSeconds) = (5, 3, 1, 0.5)
        return .done(report)
    }
}

/// A clock that only the test advances.
final class ManualClock: Sendable {
    private let seconds: Mutex<Double>

    init(_ seconds: Double = 1_000_000) { self.seconds = Mutex(seconds) }

    var now: Double { seconds.withLock { $0 } }

    func advance(by duration: Double) { seconds.withLock { $0 += duration } }
}
