internal import Foundation
internal import Synchronization
internal import VidscanBase

/// Runs the command of `--on-failure` in a shell. The command gets its own process group, so that all its processes can
/// be ended.
struct FailureHook {
    enum Outcome: Equatable {
        case status(Int32)
        case signal(Int32)
        /// This process received a termination signal, and ended the command.
        case interrupted
    }

    struct Failure: Error {
        let reason: String
    }

    let command: String
    /// Variables that are added to the environment of this process.
    let variables: [String: String]

    /// The process group of the command. The number is cleared before the command is reaped, because the kernel reuses
    /// numbers.
    private final class ProcessGroup: Sendable {
        private let state = Mutex((number: pid_t?.none, isInterrupted: false))

        var isInterrupted: Bool { state.withLock { $0.isInterrupted } }

        func start(_ number: pid_t) {
            state.withLock { state in
                state.number = number
                if state.isInterrupted { kill(-number, SIGTERM) }
            }
        }

        func interrupt(_ signal: Int32) {
            state.withLock { state in
                state.isInterrupted = true
                if let number = state.number { kill(-number, signal) }
            }
        }

        func end() {
            state.withLock { state in
                // This includes processes that the command left in the background.
                if state.isInterrupted, let number = state.number { kill(-number, SIGKILL) }
                state.number = nil
            }
        }
    }

    /// Runs the command and waits for its end. SIGINT and SIGTERM are passed on to all its processes as SIGTERM;
    /// processes that still run two seconds later are killed.
    ///
    /// - Parameter interrupts: The handler, which is redirected to the command.
    /// - Throws: `Failure` if the command cannot start.
    func run(_ interrupts: InterruptHandler) async throws(Failure) -> Outcome {
        let group = ProcessGroup()
        interrupts.redirect {
            group.interrupt(SIGTERM)
            DispatchQueue.global().asyncAfter(deadline: .now() + 2) { group.interrupt(SIGKILL) }
        } abandon: {
            group.interrupt(SIGKILL)
        }
        let child = try spawn()
        group.start(child)
        let status = await Self.waitForEnd(of: child, group.end)
        if group.isInterrupted { return .interrupted }
        return status & 0x7F == 0 ? .status(status >> 8 & 0xFF) : .signal(status & 0x7F)
    }

    private func spawn() throws(Failure) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        // Reading from the terminal would stop a process group in the background.
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        // This process ignores some signals, and a child would inherit that.
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
        let environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }.map { "\($0)=\($1)" }
        let words: [String] = ["/bin/sh", "-c", command]
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        var values: [UnsafeMutablePointer<CChar>?] = environment.map { strdup($0) } + [nil]
        defer { for text in arguments + values { free(text) } }
        var child: pid_t = 0
        let status = posix_spawn(&child, "/bin/sh", &actions, &attributes, &arguments, &values)
        guard status == 0 else { throw Failure(reason: "cannot start /bin/sh: \(SystemError(status))") }
        return child
    }

    /// Waits on a separate thread, because waiting blocks.
    ///
    /// - Parameter willReap: A closure that is called when the process has ended, but its number is not free yet.
    private static func waitForEnd(of child: pid_t, _ willReap: @escaping @Sendable () -> Void) async -> Int32 {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var information = siginfo_t()
                while waitid(P_PID, id_t(child), &information, WEXITED | WNOWAIT) < 0 && errno == EINTR {}
                willReap()
                var status: Int32 = 0
                while waitpid(child, &status, 0) < 0 && errno == EINTR {}
                continuation.resume(returning: status)
            }
        }
    }
}
