internal import Foundation
internal import Synchronization
internal import VidscanBase

struct FailureHook {
    let command: String
    /// Added to the environment.
    let variables: [String: String]

    /// An interruption can precede the shell's start.
    private final class Interruption: Sendable {
        private let state = Mutex((process: SpawnedProcess?.none, isInterrupted: false))

        var isInterrupted: Bool { state.withLock { $0.isInterrupted } }

        func start(_ process: SpawnedProcess) {
            state.withLock { state in
                state.process = process
                if state.isInterrupted { process.signalGroup(SIGTERM) }
            }
        }

        func interrupt(_ signal: Int32) {
            state.withLock { state in
                state.isInterrupted = true
                state.process?.signalGroup(signal)
            }
        }
    }

    /// Passes on SIGINT and SIGTERM to all processes of the command as SIGTERM, and kills those that still run two
    /// seconds later. Returns `nil` after such a signal.
    func run(_ interrupts: InterruptHandler) async throws(SystemError) -> SpawnedProcess.Termination? {
        let interruption = Interruption()
        interrupts.redirect {
            interruption.interrupt(SIGTERM)
            DispatchQueue.global().asyncAfter(deadline: .now() + 2) { interruption.interrupt(SIGKILL) }
        } abandon: {
            interruption.interrupt(SIGKILL)
        }
        let process = try spawn()
        interruption.start(process)
        // On a separate thread, because waiting blocks.
        let termination = await withCheckedContinuation { continuation in
            let wait: @Sendable () -> Void = {
                let termination = process.wait {
                    // Includes processes that the command left in the background.
                    if interruption.isInterrupted { process.signalGroup(SIGKILL) }
                }
                continuation.resume(returning: termination)
            }
            // Blocking this thread does no harm, because the batch has ended.
            do throws(VidscanError) { try SystemThread.start(name: "hook", wait) } catch { wait() }
        }
        return interruption.isInterrupted ? nil : termination
    }

    private func spawn() throws(SystemError) -> SpawnedProcess {
        // Reading from the terminal would stop a process group in the background.
        let nothing = open("/dev/null", O_RDONLY | O_CLOEXEC)
        guard nothing >= 0 else { throw .current }
        defer { close(nothing) }
        return try SpawnedProcess(
            ["/bin/sh", "-c", command], environment: ProcessInfo.processInfo.environment.merging(variables) { $1 },
            descriptors: [nothing], ignoresSignals: false)
    }
}
