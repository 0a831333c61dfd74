internal import ArgumentParser
internal import Foundation
internal import VidscanAnalysis
internal import VidscanBase
internal import VidscanBatch
internal import VidscanMedia
internal import VidscanResults

/// Refuses before the first file what would let every file fail, or lose its work.
enum BatchChecks {
    static func settings(_ settings: Settings, merges: Bool) throws(VidscanError) {
        if let sticker = settings.render.sticker {
            do { _ = try PictureFile.read(try InputFile(sticker).absolutePath) } catch {
                let reason = (error as? VidscanError)?.reason ?? (error as? MediaError)?.message
                throw VidscanError(.input, "the sticker \(sticker): \(reason ?? error.localizedDescription)")
            }
        }
        guard merges else { return }
        guard settings.write.formats.contains(.csv) else {
            throw VidscanError(.input, "--merge needs faces.csv of each result; add csv to --format")
        }
        guard settings.write.keepsTables else {
            throw VidscanError(
                .input, "--merge needs faces.csv of each result, and --anonymize leaves no tables; add --tables")
        }
    }

    /// Checks the nearest existing folder, in which the others would be made.
    static func writable(_ folder: String) throws(VidscanError) {
        var existing = folder
        while FileSystem.entry(existing) == nil, existing != "/" { existing = FilePath.folder(of: existing) }
        // A file in the way is reported elsewhere.
        guard FileSystem.entry(existing) == .folder else { return }
        guard access(existing, W_OK | X_OK) == 0 else {
            throw VidscanError(.input, "cannot write to \(existing): \(SystemError.current)")
        }
    }

    /// The first word may be a mistyped subcommand.
    static func missingFolder(_ inputs: [String]) -> String {
        let word = inputs.first ?? ""
        let suggestion = suggestion(for: ["batch", word])
        return suggestion.isEmpty
            ? "name the folder for the results and the journal with --output" : "\(word) does not exist\(suggestion)"
    }

    /// `; did you mean 'vidscan batch status'?`, or empty if nothing suggests a mistyped subcommand.
    static func suggestion(for commandLine: some Sequence<String>) -> String {
        let words = Array(commandLine.prefix(2))
        let names = BatchCommand.configuration.subcommands.compactMap { $0.configuration.commandName }
        guard words.count == 2, words[0] == "batch", !words[1].hasPrefix("-"), !names.contains(words[1]),
            !FileManager.default.fileExists(atPath: words[1]), let name = NearestName.find(words[1], among: names)
        else { return "" }
        return "; did you mean 'vidscan batch \(name)'?"
    }
}

/// Names the changed settings of each input. The journal has only digests, but one result of a configuration shows the
/// settings of all its results.
struct BatchExplanation {
    private static let maximumChanges = 5

    let configuration: Configuration
    let folder: BatchFolder
    let journal: BatchJournal

    func explain(_ plan: inout [BatchJournal.PlannedInput]) throws(VidscanError) {
        let indices = plan.indices.filter {
            [.settingsChanged, .kept].contains(plan[$0].reason) && plan[$0].former != nil
        }
        let wanted = Set(indices.compactMap { plan[$0].former?.configuration })
        guard !wanted.isEmpty else { return }
        var details: [String: String] = [:]
        for item in try journal.items() where item.isFinished && wanted.contains(item.configuration) {
            guard details[item.configuration] == nil else { continue }
            details[item.configuration] = changes(since: "\(folder.path)/\(item.resultPath)")
        }
        for index in indices {
            guard let detail = plan[index].former.flatMap({ details[$0.configuration] }) else { continue }
            plan[index].detail = plan[index].reason == .kept ? "kept: \(detail)" : detail
        }
    }

    /// `nil` if nothing differs, or the result does not say.
    private func changes(since result: String) -> String? {
        let changes = (try? Configuration(resultPath: result))?.changes(to: configuration) ?? []
        guard !changes.isEmpty else { return nil }
        let more = changes.count > Self.maximumChanges ? ", and \(changes.count - Self.maximumChanges) more" : ""
        return changes.prefix(Self.maximumChanges).joined(separator: ", ") + more
    }
}
