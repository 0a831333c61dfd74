internal import Dispatch
internal import Glibc

/// Turns Ctrl-C and the request to terminate into a clean end; the second one ends the process at once.
final class InterruptHandler {
    private let signals: [Int32]
    private let sources: [any DispatchSourceSignal]

    /// - Parameters:
    ///   - cancel: is called at the first signal.
    ///   - abandon: is called at the second one, before the process ends.
    init(
        on signals: [Int32] = [SIGINT, SIGTERM], _ cancel: @escaping @Sendable () -> Void,
        abandon: @escaping @Sendable () -> Void = {}
    ) {
        self.signals = signals
        sources = signals.map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            nonisolated(unsafe) var isSecond = false  // Only touched by this source's handler, one call at a time.
            source.setEventHandler {
                if isSecond {
                    abandon()
                    _exit(130)
                }
                isSecond = true
                cancel()
            }
            source.resume()
            return source
        }
    }

    /// From here on a signal ends the process again.
    func stop() {
        for source in sources { source.cancel() }
        for number in signals { signal(number, SIG_DFL) }
    }
}
