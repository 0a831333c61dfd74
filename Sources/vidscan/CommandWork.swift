internal import VidscanBase

/// How the commands that work on several inputs go through them and end.
enum CommandWork {
    /// Runs the work, which Ctrl-C and the request to terminate cancel.
    ///
    /// - Parameter work: returns how many inputs failed, each of which has been reported.
    /// - Throws: `ExitStatus`, when not all went well.
    static func run(_ reporter: ConsoleReporter, _ work: @escaping @Sendable () async throws -> Int) async throws {
        let task = Task { try await work() }
        let interrupts = InterruptHandler { task.cancel() }
        defer { interrupts.stop() }
        do {
            guard try await task.value == 0 else { throw ExitStatus.someFailed }
        } catch let error as VidscanError where error.code == .interrupted {
            reporter.interrupted()
            throw ExitStatus.interrupted
        } catch let error as VidscanError {
            reporter.failed(error)
            throw ExitStatus.someFailed
        }
    }

    /// Goes through the inputs, one after another: a failure is reported, and the next input follows.
    ///
    /// - Parameters:
    ///   - window: what of each is looked at.
    ///   - work: on one input and its position.
    /// - Returns: how many failed.
    static func each(
        of inputs: [String], window: ConsoleReporter.Window = ConsoleReporter.Window(), _ reporter: ConsoleReporter,
        _ work: (String, Int) async throws -> Void
    ) async throws -> Int {
        var failures = 0
        for (position, input) in inputs.enumerated() {
            reporter.started(input, number: position + 1, of: inputs.count, window: window)
            do {
                try await work(input, position)
            } catch let error as VidscanError where error.code == .interrupted {
                throw error
            } catch {
                failures += 1
                reporter.failed(error)
            }
        }
        return failures
    }
}
