internal import VidscanBase

/// How the commands that work on several inputs go through them and end.
enum CommandWork {
    /// Runs the work, which Ctrl-C and the request to terminate cancel.
    ///
    /// - Parameter work: returns how many inputs failed, each of which has been told.
    /// - Throws: `ExitStatus`, when not all went well.
    static func run(_ teller: Teller, _ work: @escaping @Sendable () async throws -> Int) async throws {
        let task = Task { try await work() }
        let interrupts = InterruptHandler { task.cancel() }
        defer { interrupts.stop() }
        do {
            guard try await task.value == 0 else { throw ExitStatus.someFailed }
        } catch let error as VidscanError where error.code == .interrupted {
            teller.interrupted()
            throw ExitStatus.interrupted
        } catch let error as VidscanError {
            teller.failed(error)
            throw ExitStatus.someFailed
        }
    }

    /// Goes through the inputs, one after another: a failure is told, and the next one is begun.
    ///
    /// - Parameters:
    ///   - window: what of each is looked at.
    ///   - work: on one input and its position.
    /// - Returns: how many failed.
    static func each(
        of inputs: [String], window: Teller.Window = Teller.Window(), _ teller: Teller,
        _ work: (String, Int) async throws -> Void
    ) async throws -> Int {
        var failures = 0
        for (position, input) in inputs.enumerated() {
            teller.begins(input, number: position + 1, of: inputs.count, window: window)
            do {
                try await work(input, position)
            } catch let error as VidscanError where error.code == .interrupted {
                throw error
            } catch {
                failures += 1
                teller.failed(error)
            }
        }
        return failures
    }
}
