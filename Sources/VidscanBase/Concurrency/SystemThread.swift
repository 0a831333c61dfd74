internal import CLinux
internal import Glibc

/// Starts threads, and says when the system refuses one. Foundation's `Thread` then never runs, without a word, and
/// libdispatch waits until it gets one.
package enum SystemThread {
    /// Decoders and inference runtimes keep large frames on the stack.
    private static let stackBytes = 8 << 20

    private final class Work {
        let name: String
        let run: @Sendable () -> Void

        init(_ name: String, _ run: @escaping @Sendable () -> Void) {
            self.name = name
            self.run = run
        }
    }

    /// Runs work on a thread of its own.
    ///
    /// - Parameter name: The name that debuggers and `top` show; the system keeps its first 15 bytes.
    /// - Throws: `VidscanError` with the code `setup` if the system refuses the thread.
    package static func start(name: String, _ work: @escaping @Sendable () -> Void) throws(VidscanError) {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setstacksize(&attributes, stackBytes)
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        defer { pthread_attr_destroy(&attributes) }
        let context = Unmanaged.passRetained(Work(name, work))
        var thread = pthread_t()
        let result = pthread_create(
            &thread, &attributes,
            { context in
                guard let context else { return nil }
                let work = Unmanaged<Work>.fromOpaque(context).takeRetainedValue()
                vs_name_thread(work.name)
                work.run()
                return nil
            }, context.toOpaque())
        guard result == 0 else {
            context.release()
            throw refusal(SystemError(result))
        }
    }

    /// Starts the threads of a run for a moment.
    ///
    /// - Throws: `VidscanError` with the code `setup` if the system refuses one. Later, libdispatch would wait for it
    ///   forever.
    package static func checkAvailability() throws(VidscanError) {
        // A thread for each core, and those that read, decode, write and handle signals.
        let count = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) + 8
        var threads: [pthread_t] = []
        var result: Int32 = 0
        let gate = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        pthread_mutex_init(gate, nil)
        pthread_mutex_lock(gate)
        while threads.count < count, result == 0 {
            var thread = pthread_t()
            result = pthread_create(
                &thread, nil,
                { gate in
                    // All threads exist at the same time.
                    let gate = gate?.assumingMemoryBound(to: pthread_mutex_t.self)
                    if let gate {
                        pthread_mutex_lock(gate)
                        pthread_mutex_unlock(gate)
                    }
                    return nil
                }, gate)
            if result == 0 { threads.append(thread) }
        }
        pthread_mutex_unlock(gate)
        for thread in threads { pthread_join(thread, nil) }
        pthread_mutex_destroy(gate)
        gate.deallocate()
        guard result == 0 else { throw refusal(SystemError(result)) }
    }

    private static func refusal(_ error: SystemError) -> VidscanError {
        VidscanError(
            .setup,
            "cannot start a thread: \(error); raise the limit of processes ('ulimit -u', or TasksMax of a service), or end"
                + " other programs")
    }
}
