internal import Glibc

/// A process on this machine, identified by its number and its start time, because the kernel reuses numbers.
public struct ProcessIdentity: Sendable, Hashable {
    public let number: Int32
    /// Clock ticks from the start of the machine to the start of the process.
    public let startTicks: UInt64

    public init(number: Int32, startTicks: UInt64) {
        self.number = number
        self.startTicks = startTicks
    }

    /// - Returns: `nil` if `/proc` shows no process with this number: it has ended, or it is hidden from this user.
    public init?(number: Int32) {
        guard let status = Self.status(of: number) else { return nil }
        self.init(number: number, startTicks: status.startTicks)
    }

    /// Whether this process, not a later one with the same number, is still running; `nil` if `/proc` hides it from
    /// this user.
    public var isRunning: Bool? {
        guard let status = Self.status(of: number) else { return Self.exists(number) ? nil : false }
        return !status.isZombie && status.startTicks == startTicks
    }

    /// Returns whether a process with this number is running and is not the current process.
    public static func isOtherRunning(_ number: Int32) -> Bool {
        number != getpid() && exists(number) && status(of: number)?.isZombie != true
    }

    private static func exists(_ number: Int32) -> Bool {
        kill(number, 0) == 0 || errno == EPERM
    }

    /// Reads the start time and state of a process. A process that has ended stays a zombie until its parent waits for
    /// it, which in a container may never happen.
    private static func status(of number: Int32) -> (startTicks: UInt64, isZombie: Bool)? {
        guard let text = contents(of: "/proc/\(number)/stat"), let end = text.lastIndex(of: ")") else { return nil }
        // The second field is the program's name in parentheses, which may contain spaces; see proc_pid_stat(5).
        let fields = text[text.index(after: end)...].split(separator: " ")
        guard fields.count > 19, let startTicks = UInt64(fields[19]) else { return nil }
        return (startTicks, fields[0] == "Z")
    }

    private static func contents(of path: String) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        // The kernel returns the whole text in one call: some 50 numbers and a name of at most 64 bytes.
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = read(file, &buffer, buffer.count)
        return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
    }
}
