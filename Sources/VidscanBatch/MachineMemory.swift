internal import Foundation

/// The memory that this process and its children may take: the machine's, or less where a control group bounds it.
public enum MachineMemory {
    /// - Parameter root: the folder that `/proc` and `/sys` lie in.
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

    /// Of the group that this process is in and of those around it, in both versions of control groups.
    private static func controlGroupLimits(_ root: String) -> [Int64] {
        text("\(root)/proc/self/cgroup").split(separator: "\n").flatMap { line -> [Int64] in
            // `0::/system.slice/a.service`, or with the names of what it controls: `4:memory:/a`.
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3 else { return [] }
            let base = "\(root)/sys/fs/cgroup"
            if parts[1].isEmpty { return limits(["memory.max", "memory.high"], parts[2], below: base) }
            guard parts[1].split(separator: ",").contains("memory") else { return [] }
            return limits(["memory.limit_in_bytes"], parts[2], below: "\(base)/memory")
        }
    }

    /// A limit holds for all groups below. In a container the path may be one of the machine's, of which only the root
    /// can be seen.
    private static func limits(_ names: [String], _ path: Substring, below base: String) -> [Int64] {
        var folders = [base]
        for part in path.split(separator: "/") where part != ".." { folders.append("\(folders.last ?? base)/\(part)") }
        return folders.flatMap { folder in
            // `max` is no number.
            names.compactMap { Int64(text("\(folder)/\($0)").trimmingCharacters(in: .whitespacesAndNewlines)) }
        }.filter { $0 > 0 }
    }

    /// Empty where there is no such file.
    private static func text(_ path: String) -> String {
        (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    }
}
