/// Divides the memory of a batch among its workers. All sizes are in bytes.
public struct MemoryBudget: Sendable, Equatable {
    /// Files at a time.
    public let jobs: Int
    /// The limit of each worker. Together they do not exceed the budget.
    public let workerLimit: Int64

    /// What a worker needs for the models of several picture shapes, and the frames of a large video.
    public static let minimumWorkerMemory: Int64 = 640 << 20
    /// What each worker gets at least if the user does not set the number of jobs.
    public static let defaultWorkerShare: Int64 = 1 << 30
    /// The limit of a worker if the user does not set it.
    public static let defaultWorkerLimit: Int64 = 4 << 30

    /// - Parameters:
    ///   - total: the memory of all workers together.
    ///   - cores: those of the machine. The default is a job for every two, as far as the memory allows.
    ///   - jobs: the number of files at a time, if the user sets it.
    ///   - workerLimit: the limit of a worker, if the user sets it.
    /// - Throws: `BatchError` with the code `input` if the memory is too little for the number of jobs.
    public init(total: Int64, cores: Int, jobs: Int? = nil, workerLimit: Int64? = nil) throws(BatchError) {
        let limit = workerLimit ?? Self.defaultWorkerLimit
        self.jobs = jobs ?? max(1, min(cores / 2, Int(clamping: total / (workerLimit ?? Self.defaultWorkerShare))))
        let share = total / Int64(self.jobs)
        let minimum = min(Self.minimumWorkerMemory, limit)
        guard share >= minimum else {
            let maximumJobs = total / minimum
            throw BatchError(
                .input,
                "--jobs \(self.jobs) needs more than \(total >> 20) MB of memory: each worker would get"
                    + " \(share >> 20) MB, and needs \(minimum >> 20);"
                    + (maximumJobs > 0 ? " use at most --jobs \(maximumJobs), or" : " use")
                    + " a larger --memory-budget")
        }
        self.workerLimit = min(limit, share)
    }

    /// The default budget: three quarters of the memory that the machine allows, and enough for one worker.
    public static func defaultTotal(allowedBytes: Int64) -> Int64 {
        max(minimumWorkerMemory, allowedBytes / 4 * 3)
    }
}
