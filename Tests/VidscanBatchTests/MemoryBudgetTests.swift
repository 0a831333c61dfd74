import Foundation
import Testing
import TestSupport
import VidscanBase
import VidscanBatch

@Suite("Memory budget")
struct MemoryBudgetTests {
    private static let megabyte: Int64 = 1 << 20
    private static let gigabyte: Int64 = 1 << 30

    @Test(
        "The budget limits the number of jobs and the memory of each worker",
        arguments: [
            // Memory, cores, --jobs, --memory-limit; the expected jobs and limit of a worker. Sizes are in MB.
            (24 * 1024, 2, nil, nil, 1, 4096), (24 * 1024, 16, nil, nil, 8, 3072), (3 * 1024, 64, nil, nil, 3, 1024),
            (700, 64, nil, nil, 1, 700), (1024, 1, nil, nil, 1, 1024),
            (8192, 4, 4, nil, 4, 2048), (2560, 1, 4, nil, 4, 640), (64 * 1024, 64, 2, nil, 2, 4096),
            // If the user sets a limit, each worker counts with it.
            (8192, 16, nil, 4096, 2, 4096), (8192, 16, nil, 512, 8, 512), (2048, 16, nil, 4096, 1, 2048),
            (1024, 1, 4, 256, 4, 256), (8192, 16, 4, 4096, 4, 2048),
        ] as [(Int64, Int, Int?, Int64?, Int, Int64)])
    func shares(total: Int64, cores: Int, jobs: Int?, limit: Int64?, expectedJobs: Int, expectedLimit: Int64) throws {
        let budget = try MemoryBudget(
            total: total * Self.megabyte, cores: cores, jobs: jobs, workerLimit: limit.map { $0 * Self.megabyte })
        #expect(budget.jobs == expectedJobs)
        #expect(budget.workerLimit == expectedLimit * Self.megabyte)
        #expect(Int64(budget.jobs) * budget.workerLimit <= total * Self.megabyte)
    }

    @Test("Jobs that do not fit into the budget are refused")
    func refused() {
        #expect {
            try MemoryBudget(total: 2 * Self.gigabyte, cores: 2, jobs: 8)
        } throws: { error in
            (error as? VidscanError)
                == VidscanError(
                    .input,
                    "--jobs 8 needs more than 2048 MB of memory: each worker would get 256 MB, and needs 640;"
                        + " use at most --jobs 3, or a larger --memory-budget")
        }
        #expect {
            try MemoryBudget(total: 300 * Self.megabyte, cores: 2)
        } throws: { error in
            "\(error)" == "--jobs 1 needs more than 300 MB of memory: each worker would get 300 MB, and needs 640;"
                + " use a larger --memory-budget"
        }
    }

    @Test("The default budget is three quarters of the memory, and enough for one worker")
    func defaultTotal() throws {
        #expect(MemoryBudget.defaultTotal(allowedBytes: 16 * Self.gigabyte) == 12 * Self.gigabyte)
        let small = MemoryBudget.defaultTotal(allowedBytes: 256 * Self.megabyte)
        #expect(try MemoryBudget(total: small, cores: 8).jobs == 1)
    }

    // MARK: The memory of the machine

    private func machine(_ files: [String: String]) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        var files = files
        files["proc/meminfo"] = "MemTotal:       16777216 kB\nMemFree: 1 kB\n"
        for (name, text) in files {
            let parent = (folder.path + "/" + name as NSString).deletingLastPathComponent
            try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
            try folder.write(text, to: name)
        }
        return folder
    }

    private func allowed(_ files: [String: String]) throws -> Int64 {
        let folder = try machine(files)
        return MachineMemory.allowedBytes(root: folder.path)
    }

    @Test("Without a control group limit, all memory of the machine is allowed")
    func unbounded() throws {
        #expect(try allowed([:]) == 16 * Self.gigabyte)
        #expect(
            try allowed(["proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/memory.max": "max\n"]) == 16 * Self.gigabyte)
        // This is how version 1 says that there is no limit.
        #expect(
            try allowed([
                "proc/self/cgroup": "4:memory:/a\n",
                "sys/fs/cgroup/memory/a/memory.limit_in_bytes": "9223372036854771712\n",
            ]) == 16 * Self.gigabyte)
    }

    @Test("The smallest limit of the control group and its ancestors applies")
    func bounded() throws {
        let groups = "0::/user.slice/a.service\n"
        #expect(
            try allowed([
                "proc/self/cgroup": groups, "sys/fs/cgroup/user.slice/memory.max": "2147483648\n",
                "sys/fs/cgroup/user.slice/a.service/memory.max": "4294967296\n",
            ]) == 2 * Self.gigabyte)
        #expect(
            try allowed([
                "proc/self/cgroup": groups, "sys/fs/cgroup/user.slice/a.service/memory.max": "4294967296\n",
                "sys/fs/cgroup/user.slice/a.service/memory.high": "1073741824\n",
            ]) == Self.gigabyte)
    }

    @Test("Limits of control groups version 1 apply, also in a container that shows only its root")
    func firstVersion() throws {
        #expect(
            try allowed([
                "proc/self/cgroup": "5:cpu,cpuacct:/a\n4:memory:/a\n0::/\n",
                "sys/fs/cgroup/memory/a/memory.limit_in_bytes": "1073741824\n",
            ]) == Self.gigabyte)
        #expect(
            try allowed([
                "proc/self/cgroup": "4:memory:/docker/0123\n",
                "sys/fs/cgroup/memory/memory.limit_in_bytes": "3221225472\n",
            ]) == 3 * Self.gigabyte)
        #expect(
            try allowed([
                "proc/self/cgroup": "0::/../other\n", "sys/fs/cgroup/memory.max": "1073741824\n",
            ]) == Self.gigabyte)
    }
}
