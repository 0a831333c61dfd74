import Foundation
import Glibc
import Synchronization

/// A running program, with pipes for its output.
///
/// Foundation's `Process` gives no terminal, keeps the signals that the test runner ignores, and lets two children that
/// start at once inherit each other's pipes; this does not.
package final class ChildProcess {
    package struct Outcome {
        /// The exit status, or 128 + the signal that ended it.
        package let status: Int32
        package let outputBytes: [UInt8]
        package let errorBytes: [UInt8]

        package var output: String { String(decoding: outputBytes, as: UTF8.self) }
        package var errors: String { String(decoding: errorBytes, as: UTF8.self) }
        /// Standard error without the progress lines, which come every ten seconds on a slow machine.
        package var errorLines: [String] {
            errors.split(separator: "\n").map(String.init).filter { !$0.contains(" frames/s  ") }
        }
    }

    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// Far more than any program takes on a busy machine. One that takes longer hangs.
    package static let hangSeconds = 300.0

    private let name: String
    private let process: pid_t
    private let outputDescriptor: Int32
    private let errorDescriptor: Int32
    private var outputBytes: [UInt8] = []
    private var errorBytes: [UInt8] = []
    private var openDescriptors: Set<Int32>
    private var isReaped = false

    /// No other child may start before a new pipe is set to close on exec.
    private static let spawning = Mutex(())

    /// - Parameters:
    ///   - arguments: the program, found on the PATH, and its arguments.
    ///   - folder: the working directory.
    ///   - errorsToTerminal: connects standard error to a terminal instead of a pipe.
    package init(_ arguments: [String], in folder: String = "/", errorsToTerminal: Bool = false) throws {
        name = arguments.first ?? ""
        // `env` changes the folder, then becomes the program, in the same process.
        let words = ["env", "--chdir", folder, "--"] + arguments
        let environment = ProcessInfo.processInfo.environment.filter { $0.key != SkipList.variable }
            .map { "\($0.key)=\($0.value)" }
        (process, outputDescriptor, errorDescriptor) = try Self.spawning.withLock { _ in
            let output = try Self.channel(isTerminal: false)
            let errors = try Self.channel(isTerminal: errorsToTerminal)
            defer {
                close(output.write)
                close(errors.write)
            }
            let process = try Self.spawn(words, environment, output: output.write, errors: errors.write)
            return (process, output.read, errors.read)
        }
        openDescriptors = [outputDescriptor, errorDescriptor]
    }

    deinit {
        if !isReaped {
            kill(process, SIGKILL)
            waitpid(process, nil, 0)
        }
        close(outputDescriptor)
        close(errorDescriptor)
    }

    /// Runs a program to its end.
    package static func run(_ arguments: [String], in folder: String = "/") throws -> Outcome {
        try ChildProcess(arguments, in: folder).finish()
    }

    package func send(_ signal: Int32) {
        kill(process, signal)
    }

    /// Waits until standard error contains a text.
    package func waitForErrors(containing text: String) throws {
        let begin = ContinuousClock.now
        while !String(decoding: errorBytes, as: UTF8.self).contains(text) {
            guard try read(until: begin + .seconds(Self.hangSeconds)) else {
                throw Failure(description: "\(name) ended without saying '\(text)'")
            }
        }
    }

    /// Waits for the end.
    ///
    /// - Throws: `Failure`, and the process is killed, when it takes longer than `seconds`.
    package func finish(within seconds: Double = hangSeconds) throws -> Outcome {
        let deadline = ContinuousClock.now + .seconds(seconds)
        while try read(until: deadline) {}
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        isReaped = true
        let signal = status & 0x7F
        return Outcome(
            status: signal == 0 ? status >> 8 & 0xFF : 128 + signal, outputBytes: outputBytes, errorBytes: errorBytes)
    }

    /// Reads available output.
    ///
    /// - Returns: `false` when both channels have ended, as they do when the process ends.
    private func read(until deadline: ContinuousClock.Instant) throws -> Bool {
        guard !openDescriptors.isEmpty else { return false }
        var polled = openDescriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        let left = max(0, (deadline - .now) / .milliseconds(1))
        guard poll(&polled, nfds_t(polled.count), Int32(left)) > 0 else {
            if errno == EINTR { return true }
            throw Failure(description: "\(name) is still running")
        }
        for entry in polled where entry.revents != 0 {
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            let count = Glibc.read(entry.fd, &buffer, buffer.count)
            // Reading from a terminal fails when its other side is closed.
            if count <= 0 {
                openDescriptors.remove(entry.fd)
            } else if entry.fd == outputDescriptor {
                outputBytes += buffer[..<count]
            } else {
                errorBytes += buffer[..<count]
            }
        }
        return true
    }

    private static func channel(isTerminal: Bool) throws -> (read: Int32, write: Int32) {
        var reading: Int32 = -1
        var writing: Int32 = -1
        var made: Int32 = 0
        if isTerminal {
            made = openpty(&reading, &writing, nil, nil, nil)
        } else {
            var ends: [Int32] = [-1, -1]
            made = pipe(&ends)
            (reading, writing) = (ends[0], ends[1])
        }
        guard made == 0 else { throw Failure(description: "no pipe: \(String(cString: strerror(errno)))") }
        for end in [reading, writing] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (reading, writing)
    }

    private static func spawn(
        _ words: [String], _ environment: [String], output: Int32, errors: Int32
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO)
        // Signals are reset to a login shell's state, because test runners change them.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
        var process = pid_t()
        let arguments = words.map { strdup($0) } + [nil]
        let variables = environment.map { strdup($0) } + [nil]
        defer { for text in arguments + variables { free(text) } }
        let result = posix_spawnp(&process, words[0], &actions, &attributes, arguments, variables)
        guard result == 0 else {
            throw Failure(description: "cannot start \(words): \(String(cString: strerror(result)))")
        }
        return process
    }
}
