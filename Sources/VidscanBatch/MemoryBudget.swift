/// How the memory that a batch may take is shared out among its workers; all in bytes.
public struct MemoryBudget: Sendable, Equatable {
    /// Files at a time.
    public let jobs: Int
    /// Of each worker; together they stay within the budget.
    public let workerLimit: Int64

    /// What a worker holds with models for several shapes of pictures, and frames of a large video.
    public static let workerNeed: Int64 = 640 << 20
    /// What each of the workers gets at least where their number is free.
    public static let workerShare: Int64 = 1 << 30
    /// A worker's limit where nothing else is said.
    public static let usualLimit: Int64 = 4 << 30

    /// - Parameters:
    ///   - total: of all workers together.
    ///   - cores: of the machine; a file at a time for every two, as far as the memory goes.
    ///   - jobs: where the number of files at a time is asked for.
    ///   - workerLimit: where a worker's limit is asked for.
    /// - Throws: `BatchError` with the code `input` when the number of jobs and the memory do not go together.
    public init(total: Int64, cores: Int, jobs: Int? = nil, workerLimit: Int64? = nil) throws(BatchError) {
        let limit = workerLimit ?? Self.usualLimit
        self.jobs = jobs ?? max(1, min(cores / 2, Int(clamping: total / (workerLimit ?? Self.workerShare))))
        let share = total / Int64(self.jobs)
        let need = min(Self.workerNeed, limit)
        guard share >= need else {
            let fitting = total / need
            throw BatchError(
                .input,
                "--jobs \(self.jobs) does not go with \(total >> 20) MB of memory for all workers:"
                    + " each would have \(share >> 20) MB, and needs \(need >> 20);"
                    + (fitting > 0 ? " take at most --jobs \(fitting), or" : " take")
                    + " a larger --memory-budget")
        }
        self.workerLimit = min(limit, share)
    }

    /// The budget where none is asked for: three quarters of what the machine allows, and enough for one worker.
    public static func usual(allowedBytes: Int64) -> Int64 {
        max(workerNeed, allowedBytes / 4 * 3)
    }
}
