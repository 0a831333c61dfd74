internal import VidscanBase

/// Runs commands that process several inputs.
enum CommandWork {
    /// Runs the work. SIGINT and SIGTERM cancel it.
    ///
    /// - Parameter work: A closure that processes the inputs, reports each failure, and returns the number of failed
    ///   inputs.
    /// - Throws: `ExitStatus` unless all inputs succeeded.
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
            throw error.code == .setup ? ExitStatus.usage : ExitStatus.someFailed
        }
    }

    /// Processes the inputs one after another. If an input fails, the failure is reported, and the next input follows,
    /// unless no other can succeed either.
    ///
    /// - Parameters:
    ///   - window: The range of each input that is analysed.
    ///   - work: A closure that processes one input, given its name and its position.
    /// - Returns: The number of failed inputs.
    static func each(
        of inputs: [String], window: ConsoleReporter.Window = ConsoleReporter.Window(), _ reporter: ConsoleReporter,
        _ work: (String, Int) async throws -> Void
    ) async throws -> Int {
        var failures = 0
        for (position, input) in inputs.enumerated() {
            reporter.started(input, number: position + 1, of: inputs.count, window: window)
            do {
                try await work(input, position)
            } catch let error as VidscanError where [.interrupted, .setup].contains(error.code) {
                throw error
            } catch {
                failures += 1
                reporter.failed(error)
            }
        }
        return failures
    }
}
