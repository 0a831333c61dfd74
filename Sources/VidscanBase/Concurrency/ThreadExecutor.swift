internal import CLinux
internal import Glibc

/// Runs tasks on a dedicated thread, so that blocking or long computations never occupy the cooperative pool.
///
/// `@unchecked Sendable`: `queue` and `hasEnded` are only accessed under `mutex`.
package final class ThreadExecutor: TaskExecutor, @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var queue: [UnownedJob] = []
    private var hasEnded = false
    private let name: String

    /// Decoders and inference runtimes keep large frames on the stack.
    private static let stackBytes = 8 << 20

    /// - Parameter name: The name that debuggers and `top` show; the system keeps its first 15 bytes.
    package init(name: String) {
        self.name = name
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setstacksize(&attributes, Self.stackBytes)
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        defer { pthread_attr_destroy(&attributes) }
        var thread = pthread_t()
        // The thread owns a reference to the executor until it ends.
        let result = pthread_create(
            &thread, &attributes,
            { context in
                guard let context else { return nil }
                Unmanaged<ThreadExecutor>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, Unmanaged.passRetained(self).toOpaque())
        precondition(result == 0, "cannot create a thread: \(SystemError(result))")
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
        vs_name_thread(name)
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
