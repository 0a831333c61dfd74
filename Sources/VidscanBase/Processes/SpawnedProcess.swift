internal import Glibc
internal import Synchronization

/// A child in a process group of its own: Ctrl-C does not reach it, and a signal to the group ends what it started.
/// `posix_spawn` runs no code of this process in the child, so starting is safe although other threads run.
package final class SpawnedProcess: Sendable {
    package enum Termination: Sendable, Equatable { case status(Int32), signal(Int32) }

    package let number: Int32
    /// Once the process is reaped, its number can belong to another process.
    private let isReaped = Mutex(false)

    /// `environment`: all variables of the program. `descriptors`: the standard input, output and error. The program
    /// also inherits the others. `ignoresSignals`: whether it ignores and blocks the same signals as this process.
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

    package func signal(_ signal: Int32) { isReaped.withLock { if !$0 { kill(number, signal) } } }

    /// Also reaches the processes that this one has started, unless they have left its group.
    package func signalGroup(_ signal: Int32) { isReaped.withLock { if !$0 { kill(-number, signal) } } }

    /// Blocks the thread. Calls `willReap` when the process has ended and can still be signalled.
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

/// A process on this machine, identified by its number and its start time, because the kernel reuses numbers.
package struct ProcessIdentity: Sendable, Hashable {
    package let number: Int32
    /// Clock ticks from the start of the machine.
    package let startTicks: UInt64

    package init(number: Int32, startTicks: UInt64) { (self.number, self.startTicks) = (number, startTicks) }

    /// Returns `nil` if the process has ended, or if `/proc` hides it from this user.
    package init?(number: Int32) {
        guard let status = Self.status(of: number) else { return nil }
        self.init(number: number, startTicks: status.startTicks)
    }

    /// Whether this process, not a later one with its number, is running; `nil` if `/proc` hides it from this user.
    package var isRunning: Bool? {
        guard let status = Self.status(of: number) else { return kill(number, 0) == 0 || errno == EPERM ? nil : false }
        return !status.isZombie && status.startTicks == startTicks
    }

    /// A process that has ended stays a zombie until its parent waits for it, which in a container may never happen.
    private static func status(of number: Int32) -> (startTicks: UInt64, isZombie: Bool)? {
        guard let text = FileSystem.text("/proc/\(number)/stat"), let end = text.lastIndex(of: ")") else { return nil }
        // The second field is the program's name in parentheses, which may contain spaces; see proc_pid_stat(5).
        let fields = text[text.index(after: end)...].split(separator: " ")
        guard fields.count > 19, let startTicks = UInt64(fields[19]) else { return nil }
        return (startTicks, fields[0] == "Z")
    }
}
