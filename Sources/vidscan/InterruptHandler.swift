internal import Dispatch
internal import Glibc
internal import Synchronization

/// Turns Ctrl-C and the request to terminate into a clean end; the second one ends the process at once.
final class InterruptHandler {
    /// What is called, from any thread.
    private final class Target: Sendable {
        let cancel: Mutex<@Sendable () -> Void>
        let abandon = Mutex<@Sendable () -> Void>({})

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
            nonisolated(unsafe) var isSecond = false  // Only touched by this source's handler, one call at a time.
            source.setEventHandler {
                if isSecond {
                    target.abandon.withLock { $0 }()
                    _exit(130)
                }
                isSecond = true
                target.cancel.withLock { $0 }()
            }
            source.resume()
            return source
        }
    }

    /// Ends something else from now on. A second handler that is made after this one hears nothing (seen with libdispatch
    /// on Linux), so there is one for the whole of a command.
    ///
    /// - Parameter abandon: is called at the second signal, before the process ends.
    func redirect(to cancel: @escaping @Sendable () -> Void, abandon: @escaping @Sendable () -> Void) {
        target.cancel.withLock { $0 = cancel }
        target.abandon.withLock { $0 = abandon }
    }

    /// From here on a signal ends the process again.
    func stop() {
        for source in sources { source.cancel() }
        for number in signals { signal(number, SIG_DFL) }
    }
}
