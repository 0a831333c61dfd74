internal import CLinux
internal import Foundation
internal import Synchronization
internal import VidscanBase

/// A child process that analyses one input after another, with the models loaded once. If it dies, a new one replaces it.
///
/// It writes `WorkerMessage`s to its standard output, and ends when its standard input ends. Its standard error, to which
/// libraries may write, does not reach the terminal; the last line is part of the reason when the worker dies.
///
/// Not built on swift-subprocess, which ends a process with the closure and the task that it was started in, and starts
/// it from a thread of its own: a worker serves many tasks, and the kernel ends it together with the thread that
/// started it.
final class WorkerProcess: Sendable {
    enum Event: Sendable {
        case message(WorkerMessage)
        case ended(Termination)
    }

    struct Termination: Sendable {
        /// The exit status; `nil` if a signal ended the process.
        var status: Int32?
        var signal: Int32?
        /// The last line of the standard error.
        var lastErrorLine: String
    }

    let identifier: pid_t
    let events: AsyncStream<Event>
    private let input: Int32
    /// Once the process is reaped, its number can belong to another process.
    private let isReaped = Mutex(false)

    private init(identifier: pid_t, input: Int32, events: AsyncStream<Event>) {
        self.identifier = identifier
        self.input = input
        self.events = events
    }

    deinit {
        close(input)
    }

    /// - Parameter command: the program and its arguments.
    static func start(command: [String]) async throws(BatchError) -> WorkerProcess {
        let result: Result<WorkerProcess, BatchError> = await withCheckedContinuation { continuation in
            // Each worker has its own thread here. Reading blocks it, and the kernel ends a worker together with the thread
            // that started it (PR_SET_PDEATHSIG), so the thread must live as long as the worker.
            let thread = Thread {
                do throws(BatchError) {
                    let (pipes, child) = try spawn(command)
                    let (events, eventSink) = AsyncStream.makeStream(of: Event.self)
                    let worker = WorkerProcess(identifier: child, input: pipes.input, events: events)
                    continuation.resume(returning: .success(worker))
                    Self.read(pipes, of: child, into: eventSink) { [weak worker] reap in
                        guard let worker else { return reap() }
                        return worker.isReaped.withLock { isReaped in
                            isReaped = true
                            return reap()
                        }
                    }
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
            thread.name = "worker"
            thread.start()
        }
        return try result.get()
    }

    /// - Returns: `false` if the worker has ended.
    func send(_ message: some Encodable) -> Bool {
        guard let message = try? JSONEncoder().encode(message) else { return false }
        return (try? FileSystem.write(message + [UInt8(ascii: "\n")], to: input)) != nil
    }

    func signal(_ number: Int32) {
        isReaped.withLock { if !$0 { kill(identifier, number) } }
    }

    /// The memory that the worker occupies, in bytes; `nil` if it has ended.
    var residentBytes: Int64? {
        guard let text = try? String(contentsOfFile: "/proc/\(identifier)/statm", encoding: .utf8) else { return nil }
        let fields = text.split(separator: " ")
        return fields.count > 1 ? Int64(fields[1]).map { $0 * Int64(sysconf(Int32(_SC_PAGESIZE))) } : nil
    }

    // MARK: Starting

    /// The parent's ends of the pipes.
    private struct Pipes {
        var input: Int32
        var output: Int32
        var errors: Int32
    }

    private static func spawn(_ command: [String]) throws(BatchError) -> (Pipes, pid_t) {
        var pipes: [[Int32]] = []
        for _ in 0..<3 {
            var ends: [Int32] = [-1, -1]
            guard vs_pipe(&ends) == 0 else {
                let reason = SystemError.current
                for end in pipes.joined() { close(end) }
                throw BatchError(.worker, "cannot start a worker: \(reason)")
            }
            pipes.append(ends)
        }
        let childEnds = [pipes[0][0], pipes[1][1], pipes[2][1]]
        let ours = Pipes(input: pipes[0][1], output: pipes[1][0], errors: pipes[2][0])
        defer { for end in childEnds { close(end) } }
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        for (number, end) in childEnds.enumerated() { posix_spawn_file_actions_adddup2(&actions, end, Int32(number)) }
        // In its own process group, so that Ctrl-C reaches only the batch, which then ends its workers.
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
        posix_spawnattr_setpgroup(&attributes, 0)
        var child: pid_t = 0
        var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        // A backtrace would take seconds, and hide the reason behind a hundred lines.
        var variables: [UnsafeMutablePointer<CChar>?] =
            ProcessInfo.processInfo.environment
            .merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }.map { strdup("\($0)=\($1)") } + [nil]
        defer { for variable in variables { free(variable) } }
        let status = posix_spawn(&child, command[0], &actions, &attributes, &arguments, &variables)
        guard status == 0 else {
            for end in [ours.input, ours.output, ours.errors] { close(end) }
            throw BatchError(.worker, "cannot start \(command[0]): \(SystemError(status))")
        }
        return (ours, child)
    }

    // MARK: Reading

    private static func read(
        _ pipes: Pipes, of child: pid_t, into eventSink: AsyncStream<Event>.Continuation,
        reaping: (() -> Int32) -> Int32
    ) {
        let decoder = JSONDecoder()
        var pending: [UInt8] = []
        var errorTail: [UInt8] = []
        var open: Set<Int32> = [pipes.output, pipes.errors]
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        while !open.isEmpty {
            var polled = open.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            if poll(&polled, nfds_t(polled.count), -1) < 0 && errno != EINTR { break }
            for entry in polled where entry.revents != 0 {
                let count = Glibc.read(entry.fd, &buffer, buffer.count)
                if count < 0 && errno == EINTR { continue }
                guard count > 0 else {
                    open.remove(entry.fd)
                    continue
                }
                if entry.fd == pipes.errors {
                    errorTail = (errorTail + buffer[..<count]).suffix(4096)
                    continue
                }
                pending += buffer[..<count]
                while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
                    if let message = try? decoder.decode(WorkerMessage.self, from: Data(pending[..<end])) {
                        eventSink.yield(.message(message))
                    }
                    pending.removeSubrange(...end)
                }
            }
        }
        close(pipes.output)
        close(pipes.errors)
        // Waits without reaping, so that the number remains the child's until the lock is held.
        var information = siginfo_t()
        while waitid(P_PID, id_t(child), &information, WEXITED | WNOWAIT) < 0 && errno == EINTR {}
        let status = reaping {
            var status: Int32 = 0
            while waitpid(child, &status, 0) < 0 && errno == EINTR {}
            return status
        }
        let signal = status & 0x7F
        let line = String(decoding: errorTail, as: UTF8.self).split(separator: "\n").last.map(String.init) ?? ""
        eventSink.yield(
            .ended(
                Termination(
                    status: signal == 0 ? status >> 8 & 0xFF : nil, signal: signal == 0 ? nil : signal,
                    lastErrorLine: line.trimmingCharacters(in: .whitespaces))))
        eventSink.finish()
    }
}
