import Foundation
import VidscanAnalysis

/// The text of a pipeline. A configuration must be the same after it is written and read again.
enum PipelineFuzzing {
    static func feed(_ bytes: ArraySlice<UInt8>) {
        guard let text = String(validating: bytes, as: UTF8.self) else { return }
        guard let first = read(text) else { return }
        let written = first.yaml
        guard let second = read(written) else {
            fatalError("what was written cannot be read: \(written)")
        }
        demand(first.settings == second.settings, "means something else when read again: \(written)")
    }

    /// - Returns: `nil` when there is something wrong with it, which must be said in words.
    private static func read(_ text: String) -> ResolvedSettings? {
        do {
            let file = try PipelineFile(text: text, path: "fuzz.yaml", filters: .run(allowsFiles: false))
            return try ResolvedSettings(workers: 1, file: file)
        } catch let error as PipelineFileError {
            demand(!error.problems.isEmpty, "an error without a problem")
            for problem in error.problems { demand(!problem.message.isEmpty, "a problem without words") }
        } catch let error as SettingsError {
            demand(!error.description.isEmpty, "an error without words")
        } catch {
            fatalError("an error of another kind: \(error)")
        }
        return nil
    }
}
