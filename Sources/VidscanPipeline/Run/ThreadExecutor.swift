internal import Foundation

/// Runs tasks on a thread of its own, so that work which blocks or computes for long never holds up the cooperative pool.
///
/// `@unchecked Sendable`: the queue and the end mark are only touched under `condition`.
final class ThreadExecutor: TaskExecutor, @unchecked Sendable {
    private let condition = NSCondition()
    private var queue: [UnownedJob] = []
    private var hasEnded = false

    init(name: String) {
        let thread = Thread { [self] in run() }
        thread.name = name
        // Decoders and inference runtimes keep large frames on the stack.
        thread.stackSize = 8 << 20
        thread.start()
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        condition.lock()
        queue.append(job)
        condition.signal()
        condition.unlock()
    }

    /// Lets the thread end once its queue is empty. No task may prefer this executor any more.
    func shutDown() {
        condition.lock()
        hasEnded = true
        condition.signal()
        condition.unlock()
    }

    private func run() {
        while let job = next() {
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }

    private func next() -> UnownedJob? {
        condition.lock()
        defer { condition.unlock() }
        while queue.isEmpty {
            if hasEnded { return nil }
            condition.wait()
        }
        return queue.removeFirst()
    }
}
