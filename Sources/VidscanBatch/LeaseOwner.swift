internal import Foundation

/// Names processes so that others can tell whether they still run.
public enum LeaseOwner {
    /// This process.
    public static let current = name(of: getpid())

    /// `host:process:start`, of a process of this machine.
    public static func name(of process: Int32) -> String { "\(host):\(process):\(startTime(of: process) ?? 0)" }

    /// What makes a process's number mean something: the machine, since it was started, and the name space of processes,
    /// as containers of one machine each count their own.
    private static let host: String = {
        var name = [CChar](repeating: 0, count: 256)
        gethostname(&name, name.count - 1)
        let host = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        let boot = (try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)) ?? ""
        let space = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/ns/pid")) ?? ""
        return [host, boot.trimmingCharacters(in: .whitespacesAndNewlines), space].joined(separator: "/")
            .replacingOccurrences(of: ":", with: "_")
    }()

    /// Whether a process still runs; `nil` where nobody here can tell: it is of another machine, of this one before it
    /// was started anew, or of another container.
    static func isAlive(_ owner: String) -> Bool? {
        let parts = owner.split(separator: ":")
        guard parts.count == 3, parts[0] == host, let process = pid_t(parts[1]), process > 0 else { return nil }
        // One that `/proc` does not show is hidden from this user, or gone.
        guard let state = state(of: process) else { return kill(process, 0) == 0 || errno == EPERM ? nil : false }
        return !state.hasEnded && "\(state.start)" == String(parts[2])
    }

    private static func startTime(of process: pid_t) -> UInt64? { state(of: process)?.start }

    /// - Returns: when it began, in ticks since the machine started, which distinguishes it from a later process with the
    ///   same number; and whether it has ended without having been waited for.
    private static func state(of process: pid_t) -> (start: UInt64, hasEnded: Bool)? {
        guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
            let end = text.lastIndex(of: ")")
        else { return nil }
        let fields = text[text.index(after: end)...].split(separator: " ")
        guard fields.count > 19, let start = UInt64(fields[19]) else { return nil }
        return (start, fields[0] == "Z")
    }
}
