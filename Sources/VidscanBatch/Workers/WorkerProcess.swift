internal import CLinux
internal import Foundation
internal import VidscanBase

/// A child process that analyses one input after another, with the models loaded once.
///
/// It writes `WorkerMessage`s to its standard output, and ends when its standard input ends. Its standard error, where
/// libraries write, does not reach the terminal; its last line explains why the worker died.
///
/// swift-subprocess ends a process with the closure and task that started it, and starts it from its own thread. A
/// worker serves many tasks, and the kernel ends it together with the thread that started it.
final class WorkerProcess: Sendable {
    enum Event: Sendable {
        case message(WorkerMessage)
        /// Not a message. The lines after it are unreliable.
        case unreadable(String)
        case ended(SpawnedProcess.Termination, lastErrorLine: String)
    }

    let events: AsyncStream<Event>
    private let process: SpawnedProcess
    private let input: Int32

    private init(_ process: SpawnedProcess, input: Int32, events: AsyncStream<Event>) {
        (self.process, self.input, self.events) = (process, input, events)
    }

    deinit { close(input) }

    static func start(command: [String]) async throws -> WorkerProcess {
        try await withCheckedThrowingContinuation { continuation in
            // Reading blocks the thread, and the kernel ends a worker with the thread that started it
            // (PR_SET_PDEATHSIG), so each worker has a thread that lives as long.
            do throws(VidscanError) {
                try SystemThread.start(name: "worker") {
                    do throws(VidscanError) {
                        let (pipes, process) = try spawn(command)
                        let (events, eventSink) = AsyncStream.makeStream(of: Event.self)
                        // Nothing here retains the worker, because its deinit closes the input, which ends the process.
                        continuation.resume(returning: WorkerProcess(process, input: pipes.input, events: events))
                        let lastErrorLine = Self.read(pipes, into: eventSink)
                        eventSink.yield(.ended(process.wait(), lastErrorLine: lastErrorLine))
                        eventSink.finish()
                    } catch { continuation.resume(throwing: error) }
                }
            } catch { continuation.resume(throwing: VidscanError(.setup, "cannot start a worker: \(error)")) }
        }
    }

    /// Does nothing if the worker has ended, because its `ended` event says why.
    func send(_ message: some Encodable) throws(VidscanError) {
        do {
            try FileSystem.write([UInt8](JSONEncoder().encode(message)) + [UInt8(ascii: "\n")], to: input)
        } catch let error as SystemError where error.number == EPIPE {
        } catch { throw VidscanError(.setup, "cannot send a message to a worker: \(error)") }
    }

    func signal(_ number: Int32) { process.signal(number) }

    /// In bytes; `nil` if the worker has ended.
    var residentBytes: Int64? {
        let fields = FileSystem.text("/proc/\(process.number)/statm")?.split(separator: " ")
        return fields?.dropFirst().first.flatMap { Int64($0) }.map { $0 * Int64(sysconf(Int32(_SC_PAGESIZE))) }
    }

    private typealias Pipes = (input: Int32, output: Int32, errors: Int32)

    private static func spawn(_ command: [String]) throws(VidscanError) -> (Pipes, SpawnedProcess) {
        var pipes: [[Int32]] = []
        for _ in 0..<3 {
            var ends: [Int32] = [-1, -1]
            guard vs_pipe(&ends) == 0 else {
                let reason = SystemError.current
                for end in pipes.joined() { close(end) }
                throw VidscanError(.setup, "cannot start a worker: \(reason)")
            }
            pipes.append(ends)
        }
        let childEnds = [pipes[0][0], pipes[1][1], pipes[2][1]]
        let ours: Pipes = (input: pipes[0][1], output: pipes[1][0], errors: pipes[2][0])
        defer { for end in childEnds { close(end) } }
        // A backtrace takes seconds, and hides the reason behind a hundred lines.
        let environment = ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
        do throws(SystemError) {
            // Service managers signal all processes of a batch, but only the batch ends its workers.
            let process = try SpawnedProcess(
                command, environment: environment, descriptors: childEnds, ignoresSignals: true)
            return (ours, process)
        } catch {
            for end in [ours.input, ours.output, ours.errors] { close(end) }
            throw VidscanError(.setup, "cannot start \(command[0]): \(error)")
        }
    }

    /// In bytes. Most messages have less than a thousand; many warnings take more.
    private static let maximumMessage = 1 << 20

    private static func read(_ pipes: Pipes, into eventSink: AsyncStream<Event>.Continuation) -> String {
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
                    let message = try? decoder.decode(WorkerMessage.self, from: Data(pending[..<end]))
                    let start = String(decoding: pending[..<end].prefix(80), as: UTF8.self)
                    eventSink.yield(message.map { .message($0) } ?? .unreadable("'\(start)'"))
                    pending.removeSubrange(...end)
                }
                if pending.count > maximumMessage {
                    eventSink.yield(.unreadable("it is longer than \(maximumMessage) bytes"))
                    open.remove(entry.fd)
                }
            }
        }
        close(pipes.output)
        close(pipes.errors)
        let line = String(decoding: errorTail, as: UTF8.self).split(separator: "\n").last.map(String.init) ?? ""
        return line.trimmingCharacters(in: .whitespaces)
    }
}
