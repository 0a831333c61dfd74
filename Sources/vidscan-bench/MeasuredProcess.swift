internal import Glibc
internal import VidscanBase

/// A finished command, and its resource usage as measured by the kernel.
struct MeasuredProcess {
    /// The user and system time of the process and all its threads.
    let cpuSeconds: Double
    let wallSeconds: Double
    /// The peak resident memory.
    let peakBytes: Int

    /// Runs a command, discards its standard output, and waits for it.
    ///
    /// `wait4` measures the process from outside, so that loading, threads and teardown are included.
    ///
    /// - Parameter command: The program, which is looked up on the PATH, and its arguments.
    /// - Throws: `BenchError` if the command cannot start or does not exit with 0.
    init(_ command: [String]) throws(BenchError) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)

        var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) }
        arguments.append(nil)
        defer { for argument in arguments { free(argument) } }

        let clock = ContinuousClock()
        let begin = clock.now
        var pid: pid_t = 0
        let spawned = posix_spawnp(&pid, command[0], &actions, nil, arguments, environ)
        guard spawned == 0 else {
            throw BenchError("cannot run \(command[0]): \(SystemError(spawned))")
        }
        var status: Int32 = 0
        var usage = rusage()
        while wait4(pid, &status, 0, &usage) < 0 {
            guard errno == EINTR else {
                throw BenchError("cannot wait for \(command[0]): \(SystemError.current)")
            }
        }
        wallSeconds = begin.duration(to: clock.now) / .seconds(1)
        cpuSeconds = Self.seconds(usage.ru_utime) + Self.seconds(usage.ru_stime)
        // `ru_maxrss` is in kilobytes. Its value in a child starts at the parent's peak, so this process must stay
        // smaller than the processes that it measures.
        peakBytes = usage.ru_maxrss << 10
        guard status == 0 else {
            // The low seven bits are the signal, and the next byte is the exit status.
            let how = status & 0x7f == 0 ? "ended with status \(status >> 8)" : "was killed by signal \(status & 0x7f)"
            throw BenchError("\(command.joined(separator: " ")): \(how)")
        }
    }

    private static func seconds(_ time: timeval) -> Double {
        Double(time.tv_sec) + Double(time.tv_usec) / 1e6
    }
}
