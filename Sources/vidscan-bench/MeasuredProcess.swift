internal import Glibc

/// A command that was run to its end, and what the kernel says it took.
struct MeasuredProcess {
    /// User and system time of the process and all its threads.
    let cpuSeconds: Double
    let wallSeconds: Double
    /// The most memory that was resident at once.
    let peakBytes: Int

    /// Runs a command with its output thrown away, and waits for it.
    ///
    /// Measured from outside by `wait4`, so that everything counts: loading, threads, tearing down.
    ///
    /// - Parameter command: the program, looked up on the PATH, and its arguments.
    /// - Throws: `BenchError` when it does not start or does not end with 0.
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
            throw BenchError("cannot run \(command[0]): \(String(cString: strerror(spawned)))")
        }
        var status: Int32 = 0
        var usage = rusage()
        while wait4(pid, &status, 0, &usage) < 0 {
            guard errno == EINTR else {
                throw BenchError("cannot wait for \(command[0]): \(String(cString: strerror(errno)))")
            }
        }
        wallSeconds = begin.duration(to: clock.now) / .seconds(1)
        cpuSeconds = Self.seconds(usage.ru_utime) + Self.seconds(usage.ru_stime)
        // Kilobytes. The kernel lets a child start from its parent's peak, so this program must stay the smaller one.
        peakBytes = usage.ru_maxrss << 10
        guard status == 0 else {
            // The low seven bits hold a signal, the next byte the exit status.
            let how = status & 0x7f == 0 ? "ended with status \(status >> 8)" : "was ended by signal \(status & 0x7f)"
            throw BenchError("\(command.joined(separator: " ")): \(how)")
        }
    }

    private static func seconds(_ time: timeval) -> Double {
        Double(time.tv_sec) + Double(time.tv_usec) / 1e6
    }
}
