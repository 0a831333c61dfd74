internal import Glibc
internal import Synchronization

/// A program that runs as a child of this process, in a process group of its own: Ctrl-C does not reach it, and a signal
/// to the group ends it together with what it has started.
///
/// `posix_spawn` copies no memory and runs nothing of this process in the child, so that starting is safe although other
/// threads run.
package final class SpawnedProcess: Sendable {
    /// How a process ended.
    package enum Termination: Sendable, Equatable {
        case status(Int32)
        case signal(Int32)
    }

    /// Also the number of its process group.
    package let number: Int32
    /// Once the process is reaped, its number can belong to another process.
    private let isReaped = Mutex(false)

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - command: The path of the program, and its arguments.
    ///   - environment: All variables of the program.
    ///   - descriptors: Become the standard input, output and error, in this order. It inherits the others from this
    ///     process.
    ///   - ignoresSignals: Whether it ignores and blocks the same signals as this process.
    package init(
        _ command: [String], environment: [String: String], descriptors: [Int32], ignoresSignals: Bool
    ) throws(SystemError) {
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        for (number, descriptor) in descriptors.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
        }
        var flags = POSIX_SPAWN_SETPGROUP
        if !ignoresSignals {
            var signals = sigset_t()
            sigemptyset(&signals)
            posix_spawnattr_setsigmask(&attributes, &signals)
            sigfillset(&signals)
            posix_spawnattr_setsigdefault(&attributes, &signals)
            flags |= POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK
        }
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(&attributes, Int16(flags))
        var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { for text in arguments + variables { free(text) } }
        var child: pid_t = 0
        let error = posix_spawn(&child, command[0], &actions, &attributes, &arguments, &variables)
        guard error == 0 else { throw SystemError(error) }
        number = child
    }

    /// Sends a signal, unless the process has been reaped.
    package func signal(_ signal: Int32) {
        isReaped.withLock { if !$0 { kill(number, signal) } }
    }

    /// Sends a signal also to the processes that this one has started, unless they have left its group.
    package func signalGroup(_ signal: Int32) {
        isReaped.withLock { if !$0 { kill(-number, signal) } }
    }

    /// Waits until the process has ended. Blocks the thread.
    ///
    /// - Parameter willReap: Called when the process has ended and can still be signalled.
    package func wait(_ willReap: () -> Void = {}) -> Termination {
        var information = siginfo_t()
        while waitid(P_PID, id_t(number), &information, WEXITED | WNOWAIT) < 0 && errno == EINTR {}
        willReap()
        isReaped.withLock { $0 = true }
        var status: Int32 = 0
        while waitpid(number, &status, 0) < 0 && errno == EINTR {}
        // The low seven bits are the signal, and the next byte is the exit status.
        return status & 0x7F == 0 ? .status(status >> 8 & 0xFF) : .signal(status & 0x7F)
    }
}
