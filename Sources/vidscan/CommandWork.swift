internal import ArgumentParser
internal import VidscanAnalysis
internal import VidscanBase

extension ParsableArguments {
    /// Ends the command if its options contradict each other or are out of range.
    func refuse(if isWrong: Bool, _ reason: String) throws {
        if isWrong { throw ValidationError(reason) }
    }
}

enum CommandWork {
    /// Runs work that returns the number of failed inputs. SIGINT and SIGTERM cancel it.
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

    /// Processes the inputs in order, and returns how many failed. It stops early if no other input can succeed either.
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

/// Prints a notice about several inputs once, at the end.
struct ResultNotes {
    private let inputCount: Int
    private let reporter: ConsoleReporter
    private var common: [String] = []

    init(inputCount: Int, _ reporter: ConsoleReporter) {
        self.inputCount = inputCount
        self.reporter = reporter
    }

    mutating func add(_ summary: Analysis.Summary, input: String) {
        for notice in summary.notices {
            if inputCount == 1 || !summary.commonNotices.contains(notice) {
                reporter.note(notice, input: input)
            } else if !common.contains(notice) {
                common.append(notice)
            }
        }
    }

    func finish() {
        for notice in common { reporter.note(notice) }
    }
}
