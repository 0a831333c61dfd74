internal import CSystem
internal import Foundation
internal import Synchronization

/// A child process that takes one input after another, with the models loaded once. It may die; then it is replaced.
///
/// What it writes to its standard output are `WorkerMessage`s; the end of its standard input ends it.
final class WorkerProcess: Sendable {
    enum Event: Sendable {
        case message(WorkerMessage)
        /// It is gone: its exit status, or the signal that ended it.
        case ended(status: Int32?, signal: Int32?)
    }

    let identifier: pid_t
    let events: AsyncStream<Event>
    private let input: Int32
    private let isOver = Mutex(false)

    /// - Parameter command: the program and its arguments.
    init(command: [String]) throws(BatchError) {
        var toChild: [Int32] = [0, 0]
        var fromChild: [Int32] = [0, 0]
        guard vs_pipe(&toChild) == 0, vs_pipe(&fromChild) == 0 else {
            throw BatchError(.worker, "cannot start a worker: \(String(cString: strerror(errno)))")
        }
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        posix_spawn_file_actions_adddup2(&actions, toChild[0], STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, fromChild[1], STDOUT_FILENO)
        // A group of its own: Ctrl-C reaches the batch, which decides what becomes of its workers.
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
        posix_spawnattr_setpgroup(&attributes, 0)
        var child: pid_t = 0
        var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        let status = posix_spawn(&child, command[0], &actions, &attributes, &arguments, environ)
        close(toChild[0])
        close(fromChild[1])
        guard status == 0 else {
            close(toChild[1])
            close(fromChild[0])
            throw BatchError(.worker, "cannot start \(command[0]): \(String(cString: strerror(status)))")
        }
        let identifier = child
        self.identifier = identifier
        input = toChild[1]
        let (events, continuation) = AsyncStream.makeStream(of: Event.self)
        self.events = events
        let output = fromChild[0]
        // Reading blocks, so it has a thread of its own.
        let reader = Thread { Self.read(output, of: identifier, into: continuation) }
        reader.name = "worker \(identifier)"
        reader.start()
    }

    deinit {
        close(input)
    }

    /// - Returns: `false` when it is gone.
    func send(_ job: WorkerJob) -> Bool {
        guard var line = try? JSONEncoder().encode(job) else { return false }
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

    /// Signals it and what it has started.
    func signal(_ number: Int32) {
        isOver.withLock { if !$0 { kill(identifier, number) } }
    }

    /// Memory that it holds, in bytes; `nil` when it is gone.
    var residentBytes: Int64? {
        guard let text = try? String(contentsOfFile: "/proc/\(identifier)/statm", encoding: .utf8) else { return nil }
        let fields = text.split(separator: " ")
        return fields.count > 1 ? Int64(fields[1]).map { $0 * Int64(sysconf(Int32(_SC_PAGESIZE))) } : nil
    }

    private static func read(
        _ descriptor: Int32, of child: pid_t, into continuation: AsyncStream<Event>.Continuation
    ) {
        let decoder = JSONDecoder()
        var pending: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0 && errno == EINTR { continue }
            if count <= 0 { break }
            pending += buffer[..<count]
            while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
                if let message = try? decoder.decode(WorkerMessage.self, from: Data(pending[..<end])) {
                    continuation.yield(.message(message))
                }
                pending.removeSubrange(...end)
            }
        }
        close(descriptor)
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0 && errno == EINTR {}
        let number = status & 0x7F
        continuation.yield(
            number == 0 ? .ended(status: status >> 8 & 0xFF, signal: nil) : .ended(status: nil, signal: number))
        continuation.finish()
    }
}
