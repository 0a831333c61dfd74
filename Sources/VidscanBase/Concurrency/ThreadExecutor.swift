internal import Glibc

/// Runs tasks on a dedicated thread, so that blocking or long computations never occupy the cooperative pool.
///
/// `@unchecked Sendable`: `queue` and `hasEnded` are only accessed under `mutex`.
package final class ThreadExecutor: TaskExecutor, @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var queue: [UnownedJob] = []
    private var hasEnded = false

    /// - Parameter name: The name of the thread.
    /// - Throws: `VidscanError` with the code `setup` if the system refuses the thread.
    package init(name: String) throws(VidscanError) {
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
        // The thread owns a reference to the executor until it ends.
        try SystemThread.start(name: name) { [self] in run() }
    }

    /// Makes an executor for each name, or none.
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

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        pthread_mutex_lock(mutex)
        queue.append(job)
        pthread_cond_signal(condition)
        pthread_mutex_unlock(mutex)
    }

    /// Lets the thread end once its queue is empty. No task may prefer this executor after this call.
    package func shutDown() {
        pthread_mutex_lock(mutex)
        hasEnded = true
        pthread_cond_signal(condition)
        pthread_mutex_unlock(mutex)
    }

    private func run() {
        while let job = next() {
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }

    private func next() -> UnownedJob? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while queue.isEmpty {
            if hasEnded { return nil }
            pthread_cond_wait(condition, mutex)
        }
        return queue.removeFirst()
    }
}
