internal import Dispatch
internal import Glibc

/// Turns Ctrl-C and the request to terminate into a clean end; the second one ends the process at once.
final class InterruptHandler {
    private let sources: [any DispatchSourceSignal]

    init(on signals: [Int32] = [SIGINT, SIGTERM], _ cancel: @escaping @Sendable () -> Void) {
        sources = signals.map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            nonisolated(unsafe) var isSecond = false  // Only touched by this source's handler, one call at a time.
            source.setEventHandler {
                if isSecond { _exit(130) }
                isSecond = true
                cancel()
            }
            source.resume()
            return source
        }
    }

    func stop() {
        for source in sources { source.cancel() }
    }
}
