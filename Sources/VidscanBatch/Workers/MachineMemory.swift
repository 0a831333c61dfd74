internal import Foundation

/// The memory that this process and its children may use: that of the machine, or less if a control group limits it.
public enum MachineMemory {
    /// - Parameter root: the folder that contains `/proc` and `/sys`.
    /// - Returns: bytes.
    public static func allowedBytes(root: String = "") -> Int64 {
        let machine = total(root) ?? Int64(clamping: ProcessInfo.processInfo.physicalMemory)
        return controlGroupLimits(root).reduce(machine, min)
    }

    /// `MemTotal:  24689092 kB`
    private static func total(_ root: String) -> Int64? {
        let line = text("\(root)/proc/meminfo").split(separator: "\n").first { $0.hasPrefix("MemTotal:") }
        return line?.split(separator: " ").dropFirst().first.flatMap { Int64($0) }.map { $0 << 10 }
    }

    /// The limits of this process's control group and its ancestors, for versions 1 and 2 of control groups.
    private static func controlGroupLimits(_ root: String) -> [Int64] {
        text("\(root)/proc/self/cgroup").split(separator: "\n").flatMap { line -> [Int64] in
            // `0::/system.slice/a.service` in version 2; `4:memory:/a`, with the controllers, in version 1.
            let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3 else { return [] }
            let base = "\(root)/sys/fs/cgroup"
            if fields[1].isEmpty { return limits(["memory.max", "memory.high"], fields[2], below: base) }
            guard fields[1].split(separator: ",").contains("memory") else { return [] }
            return limits(["memory.limit_in_bytes"], fields[2], below: "\(base)/memory")
        }
    }

    /// A limit applies to all groups below it. In a container the path can be that of the host, where only the root of
    /// the hierarchy is visible.
    private static func limits(_ names: [String], _ path: Substring, below base: String) -> [Int64] {
        var folders = [base]
        for component in path.split(separator: "/") where component != ".." {
            folders.append("\(folders.last ?? base)/\(component)")
        }
        return folders.flatMap { folder in
            // `max` is not a number.
            names.compactMap { Int64(text("\(folder)/\($0)").trimmingCharacters(in: .whitespacesAndNewlines)) }
        }.filter { $0 > 0 }
    }

    /// Empty if there is no such file.
    private static func text(_ path: String) -> String {
        (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    }
}
