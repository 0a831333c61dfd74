internal import Foundation
package import VidscanBase

/// Divides the memory of a batch among its workers. All sizes are in bytes.
package struct MemoryBudget: Sendable, Equatable {
    package let jobs: Int
    /// Together, the limits stay within the budget.
    package let workerLimit: Int64

    /// Holds the models and the frames of a large video.
    package static let minimumWorkerMemory: Int64 = 640 << 20
    /// A worker's minimum if the user does not set the number of jobs.
    package static let defaultWorkerMemory: Int64 = 1 << 30
    package static let defaultWorkerLimit: Int64 = 4 << 30

    /// - Parameter cores: the default is a job for every two, if the memory allows.
    /// - Throws: `input` if the memory is too little for the jobs.
    package init(total: Int64, cores: Int, jobs: Int? = nil, workerLimit: Int64? = nil) throws(VidscanError) {
        let limit = workerLimit ?? Self.defaultWorkerLimit
        self.jobs = jobs ?? max(1, min(cores / 2, Int(clamping: total / (workerLimit ?? Self.defaultWorkerMemory))))
        let (memory, minimum) = (total / Int64(self.jobs), min(Self.minimumWorkerMemory, limit))
        guard memory >= minimum else {
            let maximumJobs = total / minimum
            throw .input(
                "--jobs \(self.jobs) needs more than \(total >> 20) MB of memory: each worker would get"
                    + " \(memory >> 20) MB, and needs \(minimum >> 20);"
                    + (maximumJobs > 0 ? " use at most --jobs \(maximumJobs), or" : " use")
                    + " a larger --memory-budget")
        }
        self.workerLimit = min(limit, memory)
    }

    /// Three quarters of the allowed memory, but enough for one worker.
    package static func defaultTotal(allowedBytes: Int64) -> Int64 { max(minimumWorkerMemory, allowedBytes / 4 * 3) }
}

/// The machine's memory, or less in a control group, for this process and its children. `root` has `/proc` and `/sys`.
package enum MachineMemory {
    package static func allowedBytes(root: String = "") -> Int64 {
        let machine = total(root) ?? Int64(clamping: ProcessInfo.processInfo.physicalMemory)
        return controlGroupLimits(root).reduce(machine, min)
    }

    /// `MemTotal:  24689092 kB`
    private static func total(_ root: String) -> Int64? {
        let lines = FileSystem.text("\(root)/proc/meminfo")?.split(separator: "\n")
        return lines?.first { $0.hasPrefix("MemTotal:") }?.split(separator: " ").dropFirst().first.flatMap { Int64($0) }
            .map { $0 << 10 }
    }

    /// The limits of this process's control group and its ancestors, in versions 1 and 2.
    private static func controlGroupLimits(_ root: String) -> [Int64] {
        (FileSystem.text("\(root)/proc/self/cgroup") ?? "").split(separator: "\n").flatMap { line -> [Int64] in
            // `0::/system.slice/a.service` in version 2; `4:memory:/a`, with the controllers, in version 1.
            let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3 else { return [] }
            let base = "\(root)/sys/fs/cgroup"
            if fields[1].isEmpty { return limits(["memory.max", "memory.high"], fields[2], below: base) }
            guard fields[1].split(separator: ",").contains("memory") else { return [] }
            return limits(["memory.limit_in_bytes"], fields[2], below: "\(base)/memory")
        }
    }

    /// A limit applies to all groups below it. In a container, the path can be the host's, while only the hierarchy's
    /// root is visible.
    private static func limits(_ names: [String], _ path: Substring, below base: String) -> [Int64] {
        var folders = [base]
        for component in path.split(separator: "/") where component != ".." {
            folders.append("\(folders.last ?? base)/\(component)")
        }
        return folders.flatMap { folder in
            // `max` is not a number.
            names.compactMap {
                FileSystem.text("\(folder)/\($0)").flatMap { Int64($0.trimmingCharacters(in: .newlines)) }
            }
        }.filter { $0 > 0 }
    }
}
