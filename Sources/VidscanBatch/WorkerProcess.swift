internal import CLinux
internal import Foundation
internal import Synchronization

/// A child process that takes one input after another, with the models loaded once. It may die; then it is replaced.
///
/// What it writes to its standard output are `WorkerMessage`s; the end of its standard input ends it. Its standard
/// error, where libraries may talk, is kept from the terminal; the last line of it is told when it dies.
final class WorkerProcess: Sendable {
    enum Event: Sendable {
        case message(WorkerMessage)
        case ended(Ending)
    }

    struct Ending: Sendable {
        /// The exit status; `nil` when a signal ended it.
        var status: Int32?
        var signal: Int32?
        /// The last line of its standard error.
        var lastWords: String
    }

    let identifier: pid_t
    let events: AsyncStream<Event>
    private let input: Int32
    /// Its number may belong to another process by then.
    private let isReaped = Mutex(false)

    private init(identifier: pid_t, input: Int32, events: AsyncStream<Event>) {
        self.identifier = identifier
        self.input = input
        self.events = events
    }

    deinit {
        close(input)
    }

    /// Starts one.
    ///
    /// - Parameter command: the program and its arguments.
    static func start(command: [String]) async throws(BatchError) -> WorkerProcess {
        let result: Result<WorkerProcess, BatchError> = await withCheckedContinuation { continuation in
            // A thread of its own for each: reading blocks, and a worker asks to be ended together with the thread that
            // started it, which one of a pool might be long before the program ends.
            let thread = Thread {
                do throws(BatchError) {
                    let (channels, child) = try spawn(command)
                    let (events, sink) = AsyncStream.makeStream(of: Event.self)
                    let worker = WorkerProcess(identifier: child, input: channels.input, events: events)
                    continuation.resume(returning: .success(worker))
                    Self.read(channels, of: child, into: sink) { [weak worker] reap in
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

    /// - Returns: `false` when it is gone.
    func send(_ message: some Encodable) -> Bool {
        guard var line = try? JSONEncoder().encode(message) else { return false }
        line.append(UInt8(ascii: "\n"))
        return line.withUnsafeBytes { bytes in
            var written = 0
            while written < bytes.count {
                let count = write(input, bytes.baseAddress.map { $0 + written }, bytes.count - written)
                if count < 0 && errno == EINTR { continue }
                if count <= 0 { return false }
                written += count
            }
            return true
        }
    }

    func signal(_ number: Int32) {
        isReaped.withLock { if !$0 { kill(identifier, number) } }
    }

    /// Memory that it holds, in bytes; `nil` when it is gone.
    var residentBytes: Int64? {
        guard let text = try? String(contentsOfFile: "/proc/\(identifier)/statm", encoding: .utf8) else { return nil }
        let fields = text.split(separator: " ")
        return fields.count > 1 ? Int64(fields[1]).map { $0 * Int64(sysconf(Int32(_SC_PAGESIZE))) } : nil
    }

    // MARK: Starting

    /// This side's ends of the pipes.
    private struct Channels {
        var input: Int32
        var output: Int32
        var errors: Int32
    }

    private static func spawn(_ command: [String]) throws(BatchError) -> (Channels, pid_t) {
        var pipes: [[Int32]] = []
        for _ in 0..<3 {
            var ends: [Int32] = [-1, -1]
            guard vs_pipe(&ends) == 0 else {
                let reason = String(cString: strerror(errno))
                for end in pipes.joined() { close(end) }
                throw BatchError(.worker, "cannot start a worker: \(reason)")
            }
            pipes.append(ends)
        }
        let theirs = [pipes[0][0], pipes[1][1], pipes[2][1]]
        let ours = Channels(input: pipes[0][1], output: pipes[1][0], errors: pipes[2][0])
        defer { for end in theirs { close(end) } }
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        for (number, end) in theirs.enumerated() { posix_spawn_file_actions_adddup2(&actions, end, Int32(number)) }
        // A group of its own: Ctrl-C reaches the batch, which decides what becomes of its workers.
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
        posix_spawnattr_setpgroup(&attributes, 0)
        var child: pid_t = 0
        var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        // A backtrace takes seconds, and would hide what went wrong behind a hundred lines.
        var variables: [UnsafeMutablePointer<CChar>?] =
            ProcessInfo.processInfo.environment
            .merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }.map { strdup("\($0)=\($1)") } + [nil]
        defer { for variable in variables { free(variable) } }
        let status = posix_spawn(&child, command[0], &actions, &attributes, &arguments, &variables)
        guard status == 0 else {
            for end in [ours.input, ours.output, ours.errors] { close(end) }
            throw BatchError(.worker, "cannot start \(command[0]): \(String(cString: strerror(status)))")
        }
        return (ours, child)
    }

    // MARK: Reading

    private static func read(
        _ channels: Channels, of child: pid_t, into sink: AsyncStream<Event>.Continuation,
        reaping: (() -> Int32) -> Int32
    ) {
        let decoder = JSONDecoder()
        var pending: [UInt8] = []
        var words: [UInt8] = []
        var open: Set<Int32> = [channels.output, channels.errors]
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
                if entry.fd == channels.errors {
                    words = (words + buffer[..<count]).suffix(4096)
                    continue
                }
                pending += buffer[..<count]
                while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
                    if let message = try? decoder.decode(WorkerMessage.self, from: Data(pending[..<end])) {
                        sink.yield(.message(message))
                    }
                    pending.removeSubrange(...end)
                }
            }
        }
        close(channels.output)
        close(channels.errors)
        // Waits without taking the status, so that the number stays the child's until the lock is held.
        var information = siginfo_t()
        while waitid(P_PID, id_t(child), &information, WEXITED | WNOWAIT) < 0 && errno == EINTR {}
        let status = reaping {
            var status: Int32 = 0
            while waitpid(child, &status, 0) < 0 && errno == EINTR {}
            return status
        }
        let number = status & 0x7F
        let line = String(decoding: words, as: UTF8.self).split(separator: "\n").last.map(String.init) ?? ""
        sink.yield(
            .ended(
                Ending(
                    status: number == 0 ? status >> 8 & 0xFF : nil, signal: number == 0 ? nil : number,
                    lastWords: line.trimmingCharacters(in: .whitespaces))))
        sink.finish()
    }
}
