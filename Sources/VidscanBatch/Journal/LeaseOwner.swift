internal import Foundation
internal import VidscanBase

/// Names of processes, by which another process on the same machine can see whether they still run.
public enum LeaseOwner {
    /// This process.
    public static let current = name(of: getpid())

    /// `host:process:start`, for a process of this machine.
    public static func name(of process: Int32) -> String {
        "\(host):\(process):\(ProcessIdentity(number: process)?.startTicks ?? 0)"
    }

    /// The scope in which a process number is unique: the machine, its current boot, and the PID namespace, because each
    /// container numbers its own processes.
    private static let host: String = {
        var name = [CChar](repeating: 0, count: 256)
        gethostname(&name, name.count - 1)
        let host = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        let boot = (try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)) ?? ""
        let space = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/ns/pid")) ?? ""
        return [host, boot.trimmingCharacters(in: .whitespacesAndNewlines), space].joined(separator: "/")
            .replacingOccurrences(of: ":", with: "_")
    }()

    /// Whether a process still runs. `nil` if that cannot be determined here, because the process belongs to another
    /// machine, to an earlier boot of this one, or to another container.
    static func isRunning(_ owner: String) -> Bool? {
        let fields = owner.split(separator: ":")
        guard fields.count == 3, fields[0] == host, let number = Int32(fields[1]), number > 0 else { return nil }
        guard let startTicks = UInt64(fields[2]) else { return false }
        return ProcessIdentity(number: number, startTicks: startTicks).isRunning
    }
}
