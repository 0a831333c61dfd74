internal import Dispatch
internal import Glibc
internal import Synchronization

/// Handles SIGINT and SIGTERM: the first signal cancels the work, and the second one, of either kind, ends the process at once.
final class InterruptHandler {
    /// The closures to call. They may be called on any thread.
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
                // Cancelling may have to wait for a thread that is blocked. The handler must not: it takes the next signal.
                DispatchQueue.global().async { target.cancel.withLock { $0 }() }
            }
            source.resume()
            return source
        }
    }

    /// Replaces the closures from now on. There is only one handler per command, because a second handler made after
    /// this one receives no signals (observed with libdispatch on Linux).
    ///
    /// - Parameters:
    ///   - cancel: A closure that is called at the first signal.
    ///   - abandon: A closure that is called at the second signal, before the process ends.
    func redirect(to cancel: @escaping @Sendable () -> Void, abandon: @escaping @Sendable () -> Void) {
        target.cancel.withLock { $0 = cancel }
        target.abandon.withLock { $0 = abandon }
    }

    /// Restores the default action of the signals, which ends the process.
    func stop() {
        for source in sources { source.cancel() }
        for number in signals { signal(number, SIG_DFL) }
    }
}
