internal import VidscanAnalysis

/// Prints the notices of the results of one command. What is true of several inputs is printed once, at the end.
struct ResultNotes {
    private let inputCount: Int
    private let reporter: ConsoleReporter
    /// Notices for the end, in the order of their first input.
    private var common: [String] = []

    /// - Parameter inputCount: The number of inputs of the command.
    init(inputCount: Int, _ reporter: ConsoleReporter) {
        self.inputCount = inputCount
        self.reporter = reporter
    }

    /// Prints the notices of a result, or keeps them for the end.
    mutating func add(_ summary: Analysis.Summary, input: String) {
        for notice in summary.notices {
            if inputCount == 1 || !summary.commonNotices.contains(notice) {
                reporter.note(notice, input: input)
            } else if !common.contains(notice) {
                common.append(notice)
            }
        }
    }

    /// Prints the notices that were kept.
    func finish() {
        for notice in common { reporter.note(notice) }
    }
}
