internal import ArgumentParser
internal import Foundation
internal import VidscanAnalysis
internal import VidscanBase
internal import VidscanBatch
internal import VidscanMedia
internal import VidscanResults

/// What would let every file of a batch fail, or its work be lost, is refused before the first file.
enum BatchChecks {
    /// - Throws: `BatchError` if no file can be analysed with the settings.
    static func settings(_ settings: Settings, merges: Bool) throws(BatchError) {
        if let sticker = settings.render.sticker {
            do {
                _ = try PictureFile.read(try InputFile(sticker).absolutePath)
            } catch let error as VidscanError {
                throw BatchError(.input, "the sticker \(sticker): \(error.reason)")
            } catch let error as MediaError {
                throw BatchError(.input, "the sticker \(sticker): \(error.message)")
            } catch {
                throw BatchError(.input, "the sticker \(sticker): \(error.localizedDescription)")
            }
        }
        guard merges else { return }
        guard settings.write.formats.contains(.csv) else {
            throw BatchError(.input, "--merge needs faces.csv of each result; add csv to --format")
        }
        guard settings.write.keepsTables else {
            throw BatchError(
                .input, "--merge needs faces.csv of each result, and --anonymize leaves no tables; add --tables")
        }
    }

    /// Checks that results can be written to a folder, or to the one above it in which it would be made.
    ///
    /// - Throws: `BatchError` if they cannot.
    static func writable(_ folder: String) throws(BatchError) {
        var existing = folder
        while !FileManager.default.fileExists(atPath: existing), existing != "/" {
            existing = FilePath.folder(of: existing)
        }
        var isFolder: ObjCBool = false
        // A file in the way is an error of its own.
        guard FileManager.default.fileExists(atPath: existing, isDirectory: &isFolder), isFolder.boolValue else {
            return
        }
        guard access(existing, W_OK | X_OK) == 0 else {
            throw BatchError(.input, "cannot write to \(existing): \(SystemError.current)")
        }
    }

    /// Says what is wrong if no folder for the results is named: the first word may be a mistyped subcommand.
    static func missingFolder(_ inputs: [String]) -> String {
        if let word = inputs.first, let name = subcommand(meantBy: word) {
            return "\(word) does not exist; did you mean 'vidscan batch \(name)'?"
        }
        return "name the folder for the results and the journal with --output"
    }

    /// Returns `; did you mean 'vidscan batch status'?` if a command line with an option that is not one of `batch` names a
    /// subcommand that does not exist, and otherwise an empty string.
    static func suggestion(for commandLine: some Sequence<String>) -> String {
        let words = Array(commandLine.prefix(2))
        guard words.count == 2, words[0] == "batch", let name = subcommand(meantBy: words[1]) else { return "" }
        return "; did you mean 'vidscan batch \(name)'?"
    }

    /// The subcommand with a similar name, if a word is neither an existing file nor a subcommand.
    private static func subcommand(meantBy word: String) -> String? {
        let names = BatchCommand.configuration.subcommands.compactMap { $0.configuration.commandName }
        guard !names.contains(word), !word.hasPrefix("-"), !FileManager.default.fileExists(atPath: word) else {
            return nil
        }
        return NearestName.find(word, among: names)
    }
}
