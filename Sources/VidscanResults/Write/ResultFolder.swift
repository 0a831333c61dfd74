internal import Foundation
package import VidscanBase

/// An unfinished result folder: a hidden sibling that gets its final name only when it is complete.
package final class ResultFolder {
    /// What a folder holds. Its record file shows which.
    package enum Kind: Sendable {
        case result
        /// A segment of a video, to be merged with the others.
        case segment

        package var record: String {
            switch self {
            case .result: "run.json"
            case .segment: "part.json"
            }
        }

        package var noun: String {
            switch self {
            case .result: "result"
            case .segment: "segment"
            }
        }
    }

    /// The path of the finished result.
    package let finalPath: String
    /// The path of the folder while it is written.
    package let partialPath: String
    package let kind: Kind
    private let replaces: Bool
    private var isOpen = true

    /// - Parameters:
    ///   - finalPath: The path of the folder. Its parent is created if it is missing.
    ///   - replaces: Whether an existing result may be replaced once the new one is complete.
    /// - Throws: `VidscanError` if a result exists and may not be replaced, or if the folder cannot be written.
    package init(finalPath: String, kind: Kind = .result, replaces: Bool) throws(VidscanError) {
        self.finalPath = finalPath
        self.kind = kind
        self.replaces = replaces
        let parent = FilePath.folder(of: finalPath)
        let partial = TemporarySibling(of: finalPath, .partial)
        partialPath = partial.path
        FolderReplacement(finalPath: finalPath, record: kind.record).recover()
        try checkVacancy()
        do throws(SystemError) {
            try FileSystem.createFolder(parent)
        } catch {
            throw .writing("cannot create the folder \(parent)", error, stage: .write)
        }
        for leftover in partial.leftovers { try? FileManager.default.removeItem(atPath: leftover) }
        guard mkdir(partialPath, 0o755) == 0 else {
            throw .writing("cannot create a folder in \(parent)", .current, stage: .write)
        }
    }

    deinit {
        discardUnlessComplete()
    }

    package func discardUnlessComplete() {
        if isOpen { discard() }
    }

    /// Throws if something exists at the final path, unless it is a result and `replaces` is set.
    private func checkVacancy() throws(VidscanError) {
        guard FileManager.default.fileExists(atPath: finalPath) else { return }
        guard FileManager.default.fileExists(atPath: "\(finalPath)/\(kind.record)") else {
            throw VidscanError(
                .exists, "\(finalPath) exists and is not a vidscan \(kind.noun); it is not replaced", stage: .write)
        }
        guard replaces else {
            throw VidscanError(.exists, "the \(kind.noun) \(finalPath) exists; --force replaces it", stage: .write)
        }
    }

    /// Takes over the file of corrections of the result that this one is to replace.
    ///
    /// - Returns: Whether there is one. It is not applied to the new result.
    package func keepCorrections() throws(VidscanError) -> Bool {
        let name = ResultFiles.corrections
        for folder in ["\(finalPath)/\(ResultFiles.originals)", finalPath] {
            var status = stat()
            // Something else of this name is nobody's corrections, and a link could lead anywhere.
            guard lstat("\(folder)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFREG,
                let bytes = try? ReadableFile(folder: folder, name: name).contents(limit: ReadLimits.record)
            else { continue }
            let file = try AtomicFile(path: "\(partialPath)/\(name)")
            try file.write(bytes)
            try file.complete()
            return true
        }
        return false
    }

    /// Gives the folder its final name. All its files must be finished.
    package func complete() throws(VidscanError) {
        try checkVacancy()
        // The contents must be on disk before the name is.
        try sync(partialPath)
        try FolderReplacement(finalPath: finalPath, record: kind.record).put(partialPath)
        isOpen = false
        try sync(FilePath.folder(of: finalPath))
    }

    /// Removes everything except the record, videos and pictures with hidden faces and their own record, the report
    /// page, and the user's corrections.
    package func removeTables() throws(VidscanError) {
        do {
            for name in try FileManager.default.contentsOfDirectory(atPath: partialPath)
            where name != kind.record && name != "report.html" && name != ResultFiles.corrections
                && !name.hasPrefix("anonymized.") && !name.hasPrefix("inverted.")
            {
                try FileManager.default.removeItem(atPath: "\(partialPath)/\(name)")
            }
        } catch {
            throw VidscanError(.output, "cannot remove the tables: \(Self.reason(error))", stage: .write)
        }
    }

    /// Removes the unfinished folder.
    package func discard() {
        isOpen = false
        try? FileManager.default.removeItem(atPath: partialPath)
    }

    private func sync(_ folder: String) throws(VidscanError) {
        do throws(SystemError) {
            try FileSystem.syncFolder(folder)
        } catch {
            throw .writing("cannot move the \(kind.noun) to \(finalPath)", error, stage: .write)
        }
    }

    private static func reason(_ error: any Error) -> String {
        let underlying = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError ?? error as NSError
        return underlying.domain == NSPOSIXErrorDomain
            ? SystemError(Int32(underlying.code)).description : underlying.localizedDescription
    }

    /// Writes the record file that identifies the folder.
    package func write(_ record: some Encodable) throws(VidscanError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.keyEncodingStrategy = .convertToSnakeCase
        let file = try OutputFile(path: "\(partialPath)/\(kind.record)")
        do {
            file.buffer.write(text: String(decoding: try encoder.encode(record), as: UTF8.self))
        } catch {
            throw VidscanError(
                .output, "cannot write \(kind.record): \(error.localizedDescription)", stage: .write)
        }
        file.buffer.write("\n")
        try file.finish()
    }
}
