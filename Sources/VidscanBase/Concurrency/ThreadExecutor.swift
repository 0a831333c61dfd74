internal import Dispatch
internal import Synchronization

/// Runs tasks on a dedicated thread, so that blocking or long computations never occupy the cooperative pool.
package final class ThreadExecutor: TaskExecutor {
    private let queue = Mutex<[UnownedJob]>([])
    /// Counts the jobs in the queue and, after `shutDown`, one more.
    private let signals = DispatchSemaphore(value: 0)

    package init(name: String) throws(VidscanError) {
        // The thread owns a reference to the executor until it ends.
        try SystemThread.start(name: name) { [self] in
            while let job = next() { job.runSynchronously(on: asUnownedTaskExecutor()) }
        }
    }

    package static func make(names: [String]) throws(VidscanError) -> [ThreadExecutor] {
        var executors: [ThreadExecutor] = []
        do throws(VidscanError) {
            for name in names { executors.append(try ThreadExecutor(name: name)) }
        } catch {
            for executor in executors { executor.shutDown() }
            throw error
        }
        return executors
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.withLock { $0.append(job) }
        signals.signal()
    }

    /// Ends the thread once its queue is empty. No task may prefer this executor after this call.
    package func shutDown() { signals.signal() }

    private func next() -> UnownedJob? {
        signals.wait()
        return queue.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }
}
