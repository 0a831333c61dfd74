internal import Glibc

/// A finished command, and its resource usage as measured by the kernel.
struct MeasuredProcess {
    /// The user and system time of the process and all its threads.
    let cpuSeconds: Double
    let wallSeconds: Double
    /// The peak resident memory.
    let peakBytes: Int

    /// Runs a command, discards its standard output, and waits for it.
    ///
    /// `wait4` measures the process from outside, so that loading, threads and teardown are included, and the CPU time
    /// of the processes that it started and waited for.
    ///
    /// - Parameter command: The program, which is looked up on the PATH, and its arguments.
    /// - Throws: `BenchError` with the last line of the standard error if the command cannot start or does not exit
    ///   with 0.
    init(_ command: [String]) throws(BenchError) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
        // The file has no name, and disappears when it is closed.
        guard let file = tmpfile() else {
            throw BenchError("cannot make a temporary file for the messages of \(command[0]): \(Self.reason(errno))")
        }
        defer { fclose(file) }
        let errors = fileno(file)
        posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO)

        var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) }
        arguments.append(nil)
        defer { for argument in arguments { free(argument) } }

        let clock = ContinuousClock()
        let begin = clock.now
        var pid: pid_t = 0
        let spawned = posix_spawnp(&pid, command[0], &actions, nil, arguments, environ)
        guard spawned == 0 else {
            throw BenchError("cannot run \(command[0]): \(Self.reason(spawned))")
        }
        var status: Int32 = 0
        var usage = rusage()
        while wait4(pid, &status, 0, &usage) < 0 {
            guard errno == EINTR else {
                throw BenchError("cannot wait for \(command[0]): \(Self.reason(errno))")
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
            let reason = Self.lastLine(of: errors).map { ": " + $0 } ?? ""
            throw BenchError("\(command.joined(separator: " ")) \(how)\(reason)")
        }
    }

    /// Returns the last line that is not empty, of the last 4 kB of a file.
    private static func lastLine(of file: Int32) -> String? {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let size = lseek(file, 0, SEEK_END)
        let count = pread(file, &bytes, bytes.count, max(0, size - bytes.count))
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
            .split(whereSeparator: \.isNewline).last.map(String.init)
    }

    private static func reason(_ error: Int32) -> String { String(cString: strerror(error)) }

    private static func seconds(_ time: timeval) -> Double {
        Double(time.tv_sec) + Double(time.tv_usec) / 1e6
    }
}
