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
    package let kind: Kind
    private let folder: Folder
    private let item: WorkingItem
    private let replacement: FolderReplacement
    private var isOpen = true

    /// - Parameters:
    ///   - finalPath: The path of the folder. Its parent is created if it is missing.
    ///   - base: A folder on this path below which no link is followed; `nil` for the parent.
    ///   - policy: What happens to an existing result once the new one is complete.
    /// - Throws: `VidscanError` if a result exists and may not be replaced, or if the folder cannot be written.
    package init(
        finalPath: String, below base: String? = nil, kind: Kind = .result, policy: FolderReplacement.Policy
    ) throws(VidscanError) {
        self.finalPath = finalPath
        self.kind = kind
        let parent = FilePath.folder(of: finalPath)
        do throws(SystemError) {
            folder = try Self.open(parent, below: base)
        } catch {
            throw .writing("cannot create the folder \(parent)", error, stage: .write)
        }
        let name = FilePath.name(of: finalPath)
        replacement = FolderReplacement(in: folder, name: name, path: finalPath, kind: kind, policy: policy)
        replacement.recover()
        WorkingItem.removeLeftovers(in: folder)
        // Otherwise this would be found when the work is done.
        guard name.utf8.count <= 255 else {
            throw .writing("cannot create \(finalPath)", SystemError(ENAMETOOLONG), stage: .write)
        }
        try replacement.check()
        do throws(SystemError) {
            item = try .folder(for: name, in: folder)
        } catch {
            throw .writing("cannot create a folder in \(parent)", error, stage: .write)
        }
    }

    deinit {
        discardUnlessComplete()
    }

    private static func open(_ path: String, below base: String?) throws(SystemError) -> Folder {
        guard let base else {
            try FileSystem.createFolder(path)
            return try Folder(path)
        }
        let relativePath = String(path.utf8.dropFirst(base.utf8.count)) ?? ""
        guard path.utf8.starts(with: base.utf8), relativePath.isEmpty || relativePath.utf8.first == UInt8(ascii: "/")
        else { throw SystemError(EINVAL) }
        try FileSystem.createFolder(base)
        return try Folder(base).folder(relativePath, creates: true)
    }

    /// A path that leads to the folder while it is written, even if its name changes.
    package var partialPath: String { item.path }

    package func discardUnlessComplete() {
        if isOpen { discard() }
    }

    /// Gives the folder its final name. All its files must be finished.
    ///
    /// - Returns: The older result, if it got another name.
    @discardableResult
    package func complete() throws(VidscanError) -> FolderReplacement.Previous? {
        guard item.isInPlace else {
            throw VidscanError(
                .output, "cannot write \(finalPath): its temporary folder was removed meanwhile", stage: .write)
        }
        // The contents must be on disk before the name is.
        do throws(SystemError) { try Folder(partialPath).sync() } catch { throw failure(error) }
        let previous = try replacement.put(item.name)
        isOpen = false
        item.release()
        return previous
    }

    private func failure(_ error: SystemError) -> VidscanError {
        .writing("cannot move the \(kind.noun) to \(finalPath)", error, stage: .write)
    }

    /// Removes everything except the record, videos and pictures with hidden faces and their own record, and the report
    /// page.
    package func removeTables() throws(VidscanError) {
        do {
            for name in try FileManager.default.contentsOfDirectory(atPath: partialPath)
            where name != kind.record && name != "report.html" && !name.hasPrefix("anonymized.")
                && !name.hasPrefix("inverted.")
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
        item.remove()
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
