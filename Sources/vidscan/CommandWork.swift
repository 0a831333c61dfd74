internal import ArgumentParser
internal import Foundation
internal import Synchronization
internal import VidscanAnalysis
internal import VidscanBase
internal import VidscanReport
internal import VidscanResults
internal import VidscanVerify

extension ParsableArguments {
    /// Ends the command if its options contradict each other or are out of range.
    func refuse(if isWrong: Bool, _ reason: String) throws { if isWrong { throw ValidationError(reason) } }

    func requirePage(_ output: String?) throws {
        let isPage = output.map { ["html", "htm"].contains(FilePath.fileExtension(of: $0)) } ?? true
        try refuse(if: !isPage, "--output must name a page: a file that ends in .html.")
    }
}

/// A command whose errors, interruption and exit status are those of `CommandWork.run`.
protocol ReportingCommand: AsyncParsableCommand, Sendable {
    var messages: MessageArguments { get }

    func work(_ reporter: ConsoleReporter) async throws -> Int
}

extension ReportingCommand {
    func run() async throws {
        let reporter = ConsoleReporter(try messages.options())
        try await CommandWork.run(reporter) { try await work(reporter) }
    }
}

enum CommandWork {
    /// Runs work that returns the number of failed inputs. SIGINT, SIGTERM and SIGHUP cancel it.
    /// - Throws: `ExitStatus` unless all inputs succeeded.
    static func run(
        _ reporter: ConsoleReporter, publisher: Publisher? = nil,
        _ work: @escaping @Sendable () async throws -> Int
    ) async throws {
        let interrupts = InterruptHandler()
        defer { interrupts.stop() }
        do {
            let failures = try await interrupts.run(work).get()
            if publisher?.isIncomplete == true { throw ExitStatus.usage }
            guard failures == 0 else { throw ExitStatus.someFailed }
        } catch let error as VidscanError where error.code == .interrupted {
            reporter.log(.error, .interrupted, "interrupted; complete results are kept")
            throw ExitStatus.interrupted
        } catch let error as VidscanError {
            reporter.failed(error)
            throw error.code == .setup ? ExitStatus.usage : ExitStatus.someFailed
        }
    }

    /// Processes the inputs in order, and returns how many failed. It stops early if no other input can succeed either.
    static func each(
        of inputs: [String], _ reporter: ConsoleReporter, _ work: (String, Int) async throws -> Void
    ) async throws -> Int {
        var failures = 0
        for (position, input) in inputs.enumerated() {
            reporter.started(input, number: position + 1, of: inputs.count)
            do { try await work(input, position) } catch {
                if let error = error as? VidscanError, [.interrupted, .setup].contains(error.code) { throw error }
                failures += 1
                reporter.failed(error)
            }
        }
        return failures
    }

    /// Makes a result of each input, as `each` does. Prints a notice about several inputs once, at the end.
    static func deliver(
        _ inputs: [String], _ reporter: ConsoleReporter, _ work: (String, Int) async throws -> RunOutcome
    ) async throws -> Int {
        var common: [String] = []
        let failures = try await each(of: inputs, reporter) { input, position in
            let summary = try await work(input, position)
            reporter.delivered(input, summary: summary)
            for notice in summary.notices {
                if inputs.count == 1 || !summary.commonNotices.contains(notice) {
                    reporter.note(notice, input: input)
                } else if !common.contains(notice) {
                    common.append(notice)
                }
            }
        }
        for notice in common { reporter.note(notice) }
        return failures
    }
}

/// The first SIGINT, SIGTERM or SIGHUP cancels the work; a second SIGINT or SIGTERM ends the process. A command has only
/// one handler, because a later one would receive no signals (observed with libdispatch on Linux).
final class InterruptHandler: Sendable {
    static let signals = [SIGINT, SIGTERM, SIGHUP]

    private let signals: [Int32]
    private let actions = Mutex<(cancel: @Sendable () -> Void, abandon: @Sendable () -> Void)>(({}, {}))
    private let isCancelled = Atomic(false)
    private let sources = Mutex<[any DispatchSourceSignal]>([])

    /// Under `nohup`, SIGHUP remains ignored.
    init(on signals: [Int32] = signals) { self.signals = signals.filter { $0 != SIGHUP || !Self.isIgnored($0) } }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        sigaction(number, nil, &action)
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// Runs work that the first signal cancels.
    func run<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async -> Result<Value, any Error> {
        let task = Task(operation: work)
        handle(cancel: task.cancel)
        return await task.result
    }

    /// Handles the signals from the first call on; a later one replaces the closures, which may run on any thread.
    /// `abandon` runs before a second signal ends the process.
    func handle(cancel: @escaping @Sendable () -> Void, abandon: @escaping @Sendable () -> Void = {}) {
        actions.withLock { $0 = (cancel, abandon) }
        sources.withLock { if $0.isEmpty { $0 = signals.map(start) } }
    }

    private func start(_ number: Int32) -> any DispatchSourceSignal {
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler { [self] in
            if isCancelled.exchange(true, ordering: .acquiringAndReleasing) {
                // The shell and the kernel both report that the terminal is gone.
                if number == SIGHUP { return }
                actions.withLock { $0.abandon }()
                _exit(130)
            }
            // Cancelling may wait for a blocked thread, but the handler must be free for the next signal.
            DispatchQueue.global().async { self.actions.withLock { $0.cancel }() }
        }
        source.resume()
        return source
    }

    func stop() {
        sources.withLock { sources in
            guard !sources.isEmpty else { return }
            for source in sources { source.cancel() }
            for number in signals { signal(number, SIG_DFL) }
        }
    }
}

/// A shell command that runs after a batch has failed.
final class FailureHook: Sendable {
    /// An interruption can precede the shell's start.
    private let state = Mutex((process: SpawnedProcess?.none, isInterrupted: false))

    private var isInterrupted: Bool { state.withLock { $0.isInterrupted } }

    private func interrupt(_ signal: Int32) {
        state.withLock { state in
            state.isInterrupted = true
            state.process?.signalGroup(signal)
        }
    }

    /// Passes on SIGINT, SIGTERM and SIGHUP to all processes of the command as SIGTERM, and kills those that still run two
    /// seconds later. Returns `nil` after such a signal.
    func run(
        _ command: String, variables: [String: String], _ interrupts: InterruptHandler
    ) async throws(SystemError) -> SpawnedProcess.Termination? {
        interrupts.handle {
            self.interrupt(SIGTERM)
            DispatchQueue.global().asyncAfter(deadline: .now() + 2) { self.interrupt(SIGKILL) }
        } abandon: {
            self.interrupt(SIGKILL)
        }
        let process = try Self.spawn(command, variables)
        state.withLock { state in
            state.process = process
            if state.isInterrupted { process.signalGroup(SIGTERM) }
        }
        let wait: @Sendable () -> SpawnedProcess.Termination = {
            process.wait {
                // Includes processes that the command left in the background.
                if self.isInterrupted { process.signalGroup(SIGKILL) }
            }
        }
        // On a separate thread, because waiting blocks. Blocking this one does no harm either: the batch has ended.
        let termination = (try? await BlockingWork.run(thread: "hook", input: command) { _ in wait() }) ?? wait()
        return isInterrupted ? nil : termination
    }

    private static func spawn(_ command: String, _ variables: [String: String]) throws(SystemError) -> SpawnedProcess {
        // Reading from the terminal would stop a process group in the background.
        let nothing = open("/dev/null", O_RDONLY | O_CLOEXEC)
        guard nothing >= 0 else { throw .current }
        defer { close(nothing) }
        return try SpawnedProcess(
            ["/bin/sh", "-c", command], environment: ProcessInfo.processInfo.environment.merging(variables) { $1 },
            descriptors: [nothing], ignoresSignals: false)
    }
}

/// Publishes the videos of finished results, after a search for faces if the settings ask for one.
final class Publisher: Sendable {
    private let publication: Publication
    /// `nil` are those beside each result.
    private let covers: String?
    private let verification: Verification?
    private let log: ConsoleLog
    /// Whether something was not searched, which has a status of its own as in `verify`.
    var isIncomplete: Bool { state.withLock { $0 } }
    private let state = Mutex(false)

    /// `nil` if the settings publish nothing. `sources`: results and originals, which must not lie in the folder.
    init?(_ settings: Settings, _ log: ConsoleLog, replaces: Bool = false, sources: [String]) throws(VidscanError) {
        guard let folder = settings.render.publishFolder else { return nil }
        (self.log, covers) = (log, settings.render.hiding.covers)
        verification =
            settings.render.verifiesPublished ? try Verification(models: ModelStore.verificationFolder()) : nil
        publication = try Publication(
            folder: folder, approver: settings.render.approver, replaces: replaces || settings.write.replaces,
            sources: sources)
    }

    /// Returns whether the video is published now, not before. Throws if a face may show. Follows no link below `base`.
    @discardableResult
    func publish(_ result: String, below base: String? = nil, of input: String) async throws -> Bool {
        let path = base.map { FilePath.joining($0, result) } ?? result
        var opened: Folder?
        do {
            let folder = try base.map { try Folder($0).folder(result) } ?? Folder(result)
            opened = folder
            let covers = try covers ?? CoverFile.path(beside: path)
            let copy = try await publication.publish(folder, covers: covers, verify: verification.map { _ in search })
            guard let (name, visible) = copy else { return false }
            log(.info, .published, input: input, "-> \(name)", ["output": name])
            if let visible {
                log(.warning, .warning, input: input, "\(name) leaves somebody visible on purpose: \(visible)")
            }
            return true
        } catch let withdrawal as Publication.Withdrawal {
            let name = withdrawal.video
            log(
                .warning, .published, input: input,
                "not published again: \(name) was withdrawn by removing it; --force publishes it", ["output": name])
            return false
        } catch {
            let error = error as? VidscanError ?? VidscanError(.output, "\(error)")
            let command = error.code == .changed ? try? CoversPage.command(for: path) : nil
            let copy = error.code == .exists ? nil : opened.flatMap(publication.copy)
            let reason =
                "not published: \(error.reason)" + (command.map { "; run '\($0)' again" } ?? "")
                + (copy.map { "; an earlier copy is still published, remove \($0) to withdraw it" } ?? "")
            throw VidscanError(error.code, reason, input: input, stage: error.stage)
        }
    }

    private func search(_ path: String) async throws {
        guard let findings = try await verification?.run(path) else { return }
        if !findings.unsearched.isEmpty { state.withLock { $0 = true } }
        let face = findings.episodes.first.map { "a face may be visible at \(findings.place(of: $0))" }
        guard let problem = face ?? (findings.unsearched.first.map { "\($0) was not searched" }) else { return }
        throw VidscanError.result(problem)
    }
}
