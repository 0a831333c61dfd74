internal import VidscanAnalysis
internal import VidscanBase
internal import VidscanBatch

/// Says of each input that other settings concern what is different now.
///
/// The journal has only digests of settings. What they were is in the results, and all results of one configuration have
/// the same settings, so that one of them is enough.
struct BatchExplanation {
    private static let maximumChanges = 5

    let configuration: Configuration
    let folder: BatchFolder
    /// Those of the journal.
    let items: [BatchJournal.Item]

    func explain(_ plan: inout [BatchJournal.PlannedInput]) {
        let indices = plan.indices.filter {
            [.settingsChanged, .kept].contains(plan[$0].reason) && plan[$0].former != nil
        }
        let wanted = Set(indices.compactMap { plan[$0].former?.configuration })
        guard !wanted.isEmpty else { return }
        var details: [String: String] = [:]
        for item in items where item.isFinished && wanted.contains(item.configuration) {
            guard details[item.configuration] == nil else { continue }
            details[item.configuration] = changes(since: "\(folder.path)/\(item.resultPath)")
        }
        for index in indices {
            guard let detail = plan[index].former.flatMap({ details[$0.configuration] }) else { continue }
            plan[index].detail = plan[index].reason == .kept ? "kept: \(detail)" : detail
        }
    }

    /// - Returns: `nil` if the result does not say, or nothing is different.
    private func changes(since result: String) -> String? {
        let changes = (try? Configuration(resultPath: result))?.changes(to: configuration) ?? []
        guard !changes.isEmpty else { return nil }
        let more = changes.count > Self.maximumChanges ? ", and \(changes.count - Self.maximumChanges) more" : ""
        return changes.prefix(Self.maximumChanges).joined(separator: ", ") + more
    }
}
