internal import ArgumentParser
internal import CSystem
internal import Foundation
internal import VidscanBatch
internal import VidscanMedia
internal import VidscanPipeline

/// The other side of `vidscan batch`: takes inputs from its standard input, one at a time, until that ends.
struct BatchWorkerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "batch-worker", abstract: "Analyses what 'vidscan batch' tells it to.", shouldDisplay: false)

    @OptionGroup
    var settings: SettingOptions

    func run() async throws {
        // A batch that is killed takes its workers along.
        _ = vs_die_with_parent()
        let options: AnalysisOptions
        let models: ModelStore
        do {
            options = try settings.resolve().configuration.analysis
            models = try ModelStore(concurrency: options.workers, precision: options.precision)
        } catch {
            _ = readLine()
            Self.say(.failed(reason: "\(error)", kind: .setup))
            throw ExitStatus.usage
        }
        let analysis = Analysis(options: options, models: models, observer: WorkerVoice())
        let work = Task {
            while let line = await Self.nextLine() {
                guard let job = try? JSONDecoder().decode(WorkerJob.self, from: Data(line.utf8)) else { continue }
                Fault.strike(job.input)
                Self.say(await Self.analyze(job, with: analysis))
                if Task.isCancelled { throw ExitStatus.interrupted }
            }
        }
        let interrupts = InterruptHandler { work.cancel() }
        defer { interrupts.stop() }
        try await work.value
    }

    private static func analyze(_ job: WorkerJob, with analysis: Analysis) async -> WorkerMessage {
        do {
            let folder = (job.result as NSString).deletingLastPathComponent
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let summary = try await analysis.run(input: job.input, resultPath: job.result, replaces: true)
            return .done(
                WorkerReport(
                    frames: summary.frames, faces: summary.faces,
                    videoSeconds: Double(summary.analysedMicroseconds) / 1e6, wallSeconds: summary.wallSeconds))
        } catch let error as PipelineError {
            return .failed(reason: error.reason, kind: kind(of: error))
        } catch {
            return .failed(reason: error.localizedDescription, kind: .other)
        }
    }

    private static func kind(of error: PipelineError) -> WorkerFailure {
        switch error.code {
        case .interrupted: .interrupted
        case .setup: .setup
        case .media(.notMedia), .media(.noVideo), .media(.refersElsewhere): .notMedia
        case .output where error.reason.hasSuffix(String(cString: strerror(ENOSPC))): .diskFull
        default: .other
        }
    }

    /// Waiting for a line blocks, so it is done on a thread of its own.
    private static func nextLine() async -> String? {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: readLine()) }
        }
    }

    fileprivate static func say(_ message: WorkerMessage) {
        guard let line = try? JSONEncoder().encode(message) else { return }
        Output.standard(String(decoding: line, as: UTF8.self))
    }
}

/// Passes on what a run says.
private final class WorkerVoice: RunObserver {
    func opened(_ input: String, info: VideoInfo) {
        BatchWorkerCommand.say(.opened(videoSeconds: info.durationMicroseconds.map { Double($0) / 1e6 }))
    }

    func progressed(_ progress: RunProgress) {}

    func warned(_ input: String, message: String) { BatchWorkerCommand.say(.warned(message)) }
}

/// Ways to fail that no file can be relied on to cause, for tests: `VIDSCAN_TEST_FAULT=abort:a.mp4,hang:b.mp4,memory:c.mp4`.
private enum Fault {
    static func strike(_ input: String) {
        guard let plan = ProcessInfo.processInfo.environment["VIDSCAN_TEST_FAULT"] else { return }
        let name = (input as NSString).lastPathComponent
        for fault in plan.split(separator: ",") {
            let parts = fault.split(separator: ":", maxSplits: 1).map(String.init)
            guard parts.count == 2, parts[1] == name else { continue }
            switch parts[0] {
            case "abort": abort()
            case "hang": while true { sleep(1) }
            case "memory":
                while true {
                    let block = UnsafeMutableRawPointer.allocate(byteCount: 64 << 20, alignment: 4096)
                    memset(block, 1, 64 << 20)
                    usleep(50_000)
                }
            default: break
            }
        }
    }
}
