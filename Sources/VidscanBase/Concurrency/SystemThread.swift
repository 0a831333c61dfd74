internal import CLinux
internal import Dispatch
internal import Glibc
internal import Synchronization

/// Throws when the system refuses a thread. Foundation's `Thread` silently never runs then, and libdispatch waits.
package enum SystemThread {
    /// Decoders and inference runtimes keep large frames on the stack.
    private static let stackBytes = 8 << 20

    private final class Work {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// - Parameter name: For debuggers and `top`; the system keeps its first 15 bytes.
    package static func start(name: String, _ work: @escaping @Sendable () -> Void) throws(VidscanError) {
        let thread = try create {
            vs_name_thread(name)
            work()
        }
        pthread_detach(thread)
    }

    private static func create(_ work: @escaping @Sendable () -> Void) throws(VidscanError) -> pthread_t {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setstacksize(&attributes, stackBytes)
        defer { pthread_attr_destroy(&attributes) }
        let context = Unmanaged.passRetained(Work(work))
        var thread = pthread_t()
        let result = pthread_create(
            &thread, &attributes,
            { context in
                if let context { Unmanaged<Work>.fromOpaque(context).takeRetainedValue().run() }
                return nil
            }, context.toOpaque())
        guard result != 0 else { return thread }
        context.release()
        throw VidscanError(
            .setup,
            "cannot start a thread: \(SystemError(result)); raise the limit of processes ('ulimit -u', or TasksMax of a"
                + " service), or end other programs")
    }

    /// Starts the threads that a run needs, for a moment, because libdispatch would wait forever for a refused one.
    package static func checkAvailability() throws(VidscanError) {
        // A thread for each core, and those that read, decode, write and handle signals.
        let count = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) + 8
        let gate = DispatchSemaphore(value: 0)
        var threads: [pthread_t] = []
        defer {
            for _ in threads { gate.signal() }
            for thread in threads { pthread_join(thread, nil) }
        }
        while threads.count < count { threads.append(try create { gate.wait() }) }
    }
}

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
