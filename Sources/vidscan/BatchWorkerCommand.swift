internal import ArgumentParser
internal import CLinux
internal import Foundation
internal import Synchronization
internal import VidscanAnalysis
internal import VidscanBase
internal import VidscanBatch
internal import VidscanMedia
internal import VidscanReport
internal import VidscanResults

/// A worker of `vidscan batch`: runs jobs from standard input, one at a time.
struct BatchWorkerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "batch-worker", abstract: "Analyses files for 'vidscan batch'.", shouldDisplay: false)

    func run() async throws {
        // If the batch is killed, the kernel kills its workers too.
        _ = vs_die_with_parent()
        // If the machine runs out of memory, the kernel kills the worker rather than the batch.
        try? Data("500".utf8).write(to: URL(fileURLWithPath: "/proc/self/oom_score_adj"))
        // Service managers send these to all processes of a batch, but the batch ends its workers itself, with SIGUSR1.
        for number in [SIGINT, SIGTERM] { signal(number, SIG_IGN) }
        _ = Self.messages
        guard let line = try await Self.nextLine() else { return }
        let (analysis, command): (Analysis, [String])
        do { (analysis, command) = try Self.setUp(line) } catch {
            _ = try await Self.nextLine()
            Self.send(.failed(reason: "\(error)", kind: .setup))
            throw ExitStatus.usage
        }
        let work = Task {
            while let line = try await Self.nextLine() {
                let job: WorkerJob
                do { job = try JSONDecoder().decode(WorkerJob.self, from: Data(line.utf8)) } catch {
                    Self.send(.failed(reason: "its worker cannot read what to do: \(error)", kind: .other))
                    continue
                }
                TestFault.trigger(job.input)
                Self.send(await Self.analyze(job, with: analysis, command))
                if Task.isCancelled { throw ExitStatus.interrupted }
            }
        }
        let interrupts = InterruptHandler(on: [SIGUSR1]) { work.cancel() }
        defer { interrupts.stop() }
        try await work.value
    }

    private static func setUp(_ line: String) throws -> (Analysis, command: [String]) {
        let setup = try JSONDecoder().decode(WorkerSetup.self, from: Data(line.utf8))
        let file = try PipelineFile(
            text: setup.pipeline, path: "the batch's pipeline", filters: .run(allowsFiles: setup.allowsFileFilters))
        let workers = try ResolvedSettings.Override("detect.workers", .integer(setup.workers), option: "--workers")
        let settings = try ResolvedSettings(workers: 1, file: file, overrides: [workers]).settings
        let models = try ModelStore()
        models.keepUntilExit()
        let analysis = Analysis(
            settings: settings, models: models, observer: WorkerObserver(settings), addition: VideoAndPage())
        return (analysis, setup.command)
    }

    private static func analyze(
        _ job: WorkerJob, with analysis: Analysis, _ command: [String]
    ) async -> WorkerMessage {
        do {
            if job.work == .report {
                let folder = try Folder(job.folder).folder(job.resultPath)
                let page = VideoAndPage().page(analysis.settings)
                _ = try await page.run(resultPath: folder.path, replaces: false)
                return .done(WorkerReport())
            }
            let summary = try await analysis.run(
                input: job.input, resultPath: "\(job.folder)/\(job.resultPath)", below: job.folder, replaces: true,
                command: command)
            var report = WorkerReport()
            (report.frames, report.faces) = (summary.counts.sampledFrames, summary.counts.faces)
            (report.people, report.events) = (summary.counts.personIds, summary.counts.events)
            report.warnings = summary.warnings
            report.videoSeconds = Double(summary.analysedMicroseconds) / 1e6
            report.wallSeconds = summary.wallSeconds
            // Optional, because a digest only saves work later.
            if job.takesDigest { report.digest = summary.digest ?? (try? FileDigest.sha256(path: job.input)) }
            return .done(report)
        } catch {
            let known = error as? VidscanError
            return .failed(reason: known?.reason ?? "\(error)", kind: known.map(kind(of:)) ?? .other)
        }
    }

    private static func kind(of error: VidscanError) -> WorkerFailure {
        switch error.code {
        case .interrupted: .interrupted
        case .setup: .setup
        case .media(.notMedia), .media(.refersElsewhere): .notMedia
        case .media(.noVideo): .noVideo
        case .diskFull: .diskFull
        default: .other
        }
    }

    /// On a separate thread, because reading blocks.
    private static func nextLine() async throws -> String? {
        try await BlockingWork.run(thread: "jobs", input: "standard input") { _ in readLine() }
    }

    /// Separates the messages from what libraries print to standard output, which goes to standard error.
    private static let messages: Int32 = {
        let pipe = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
        dup2(STDERR_FILENO, STDOUT_FILENO)
        return pipe
    }()

    fileprivate static func send(_ message: WorkerMessage) {
        do {
            try FileSystem.write([UInt8](JSONEncoder().encode(message)) + [UInt8(ascii: "\n")], to: messages)
        } catch let error as SystemError {
            // Without the batch, nobody waits for results.
            Output.error("vidscan: error: cannot send a message to the batch: \(error)")
            Glibc.exit(ExitStatus.someFailed.code)
        } catch {
            // A number that JSON cannot represent. The text has none.
            send(.failed(reason: "its worker cannot send a message: \(error)", kind: .other))
        }
    }
}

private final class WorkerObserver: RunObserver {
    private struct State {
        var start: Int64 = 0
        var end: Int64?
        var lastProgress = ContinuousClock.now
    }

    private let window: (start: Int64?, end: Int64?)
    private let state = Mutex(State())

    init(_ settings: Settings) { window = (settings.sample.start, settings.sample.end) }

    func opened(_ input: String, info: VideoInfo) {
        state.withLock {
            $0 = State()
            $0.start = window.start ?? 0
            $0.end = [window.end, info.durationMicroseconds].compactMap { $0 }.min()
        }
        BatchWorkerCommand.send(.opened(videoSeconds: info.durationMicroseconds.map { Double($0) / 1e6 }))
    }

    /// The batch writes its state only every two seconds.
    func progressed(_ progress: RunProgress) {
        let message: FileProgress? = state.withLock { state in
            let now = ContinuousClock.now
            guard now - state.lastProgress >= .seconds(1) else { return nil }
            state.lastProgress = now
            return FileProgress(
                seconds: Double(max(0, progress.microseconds - state.start)) / 1e6,
                lengthSeconds: state.end.map { Double(max(0, $0 - state.start)) / 1e6 })
        }
        if let message { BatchWorkerCommand.send(.progressed(message)) }
    }

    func warned(_ input: String, message: String) { BatchWorkerCommand.send(.warned(message)) }
}

/// Injects faults that no file causes reliably, for tests: `VIDSCAN_TEST_FAULT=abort:a.mp4,hang:b.mp4,memory:c.mp4`.
private enum TestFault {
    static func trigger(_ input: String) {
        guard let plan = ProcessInfo.processInfo.environment["VIDSCAN_TEST_FAULT"] else { return }
        let (faults, name) = (plan.components(separatedBy: ","), FilePath.name(of: input))
        if faults.contains("abort:" + name) { abort() }
        while faults.contains("hang:" + name) { sleep(1) }
        while faults.contains("memory:" + name) {
            let block = UnsafeMutableRawPointer.allocate(byteCount: 64 << 20, alignment: 4096)
            memset(block, 1, 64 << 20)
            usleep(50_000)
        }
    }
}
