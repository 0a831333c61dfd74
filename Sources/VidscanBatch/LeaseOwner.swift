internal import Foundation

/// Names processes so that others can tell whether they still run.
public enum LeaseOwner {
    /// This process: `host:process:start`.
    public static let current: String = "\(host):\(getpid()):\(startTime(of: getpid()) ?? 0)"

    private static let host: String = {
        var name = [CChar](repeating: 0, count: 256)
        gethostname(&name, name.count - 1)
        let bytes = name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
        return String(decoding: bytes, as: UTF8.self).replacingOccurrences(of: ":", with: "_")
    }()

    /// Whether a process still runs; `nil` for one of another machine.
    static func isAlive(_ owner: String) -> Bool? {
        let parts = owner.split(separator: ":")
        guard parts.count == 3, parts[0] == host, let process = pid_t(parts[1]) else { return nil }
        return startTime(of: process).map { "\($0)" } == String(parts[2])
    }

    /// Ticks since the machine started: tells a process from a later one of the same number. `nil` when it is gone, or
    /// has ended and nobody has asked how.
    private static func startTime(of process: pid_t) -> UInt64? {
        guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
            let end = text.lastIndex(of: ")")
        else { return nil }
        let fields = text[text.index(after: end)...].split(separator: " ")
        return fields.count > 19 && fields[0] != "Z" ? UInt64(fields[19]) : nil
    }
}
