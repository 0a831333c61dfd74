/// How long the analysis of inputs will take, judged by the inputs that are done.
public struct TimeEstimate: Sendable {
    private let secondsPerByte: Double

    /// - Parameters:
    ///   - items: those of a journal.
    ///   - configuration: the configuration of the inputs to come, if it is known. Only inputs that were analysed with it
    ///     count, because other settings can take many times as long.
    public init?(_ items: [BatchJournal.Item], configuration: String? = nil) {
        let used = items.filter {
            $0.hasCounts && ($0.wallSeconds ?? 0) > 0 && $0.bytes > 0
                && (configuration == nil || $0.configuration == configuration)
        }
        let bytes = used.reduce(0) { $0 + Double($1.bytes) }
        guard bytes > 0 else { return nil }
        secondsPerByte = used.reduce(0) { $0 + ($1.wallSeconds ?? 0) } / bytes
    }

    /// - Parameters:
    ///   - bytes: the sizes of the inputs.
    ///   - jobs: files at a time.
    public func seconds(_ bytes: [Double], jobs: Int) -> Double {
        // A file is analysed by one worker, so that the largest one takes its time even if the others have ended.
        // Sizes and times of a journal can be absurd.
        min(1e10, secondsPerByte * max(bytes.reduce(0, +) / Double(jobs), bytes.max() ?? 0))
    }
}

extension BatchJournal.Item {
    /// What is left of a file that is not done yet.
    var remainingBytes: Double { Double(bytes) * (1 - (status == .running ? progress ?? 0 : 0)) }
}
