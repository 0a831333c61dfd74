internal import Dispatch
internal import Glibc
internal import Synchronization

/// The first SIGINT or SIGTERM cancels the work; the second, of either kind, ends the process.
final class InterruptHandler {
    /// The closures may run on any thread.
    private final class Target: Sendable {
        let cancel: Mutex<@Sendable () -> Void>
        let abandon = Mutex<@Sendable () -> Void>({})
        let isCancelled = Mutex(false)

        init(_ cancel: @escaping @Sendable () -> Void) { self.cancel = Mutex(cancel) }
    }

    private let signals: [Int32]
    private let target: Target
    private let sources: [any DispatchSourceSignal]

    init(on signals: [Int32] = [SIGINT, SIGTERM], _ cancel: @escaping @Sendable () -> Void) {
        self.signals = signals
        let target = Target(cancel)
        self.target = target
        sources = signals.map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                let isSecond = target.isCancelled.withLock { isCancelled in
                    defer { isCancelled = true }
                    return isCancelled
                }
                if isSecond {
                    target.abandon.withLock { $0 }()
                    _exit(130)
                }
                // Cancelling may wait for a blocked thread, but the handler must be free for the next signal.
                DispatchQueue.global().async { target.cancel.withLock { $0 }() }
            }
            source.resume()
            return source
        }
    }

    /// Replaces the closures; `abandon` runs before a second signal ends the process. A command has only one handler,
    /// because a later one would receive no signals (observed with libdispatch on Linux).
    func redirect(to cancel: @escaping @Sendable () -> Void, abandon: @escaping @Sendable () -> Void) {
        target.cancel.withLock { $0 = cancel }
        target.abandon.withLock { $0 = abandon }
    }

    func stop() {
        for source in sources { source.cancel() }
        for number in signals { signal(number, SIG_DFL) }
    }
}
