internal import Glibc
package import VidscanBase

/// An unfinished result folder: a hidden sibling that gets its final name only when it is complete.
package final class ResultFolder {
    package enum Kind: String, Sendable {
        case result = "run.json"
        /// To be merged with the other segments of a video.
        case segment = "part.json"

        package var record: String { rawValue }
        package var noun: String { "\(self)" }
    }

    package let finalPath: String
    package let kind: Kind
    private let folder: Folder
    private let item: WorkingItem
    private let replacement: FolderReplacement
    private var isOpen = true

    /// Creates the parent of `finalPath` if it is missing. No link is followed below `base`, or `nil` for the parent.
    /// Throws if a result exists and may not be replaced.
    package init(
        finalPath: String, below base: String? = nil, kind: Kind = .result, policy: FolderReplacement.Policy
    ) throws(VidscanError) {
        (self.finalPath, self.kind) = (finalPath, kind)
        let parent = FilePath.folder(of: finalPath)
        folder = try VidscanError.writing("cannot create the folder \(parent)", try Self.open(parent, below: base))
        let name = FilePath.name(of: finalPath)
        replacement = FolderReplacement(in: folder, name: name, path: finalPath, kind: kind, policy: policy)
        replacement.recover()
        WorkingItem.removeLeftovers(in: folder)
        // Otherwise this would be found when the work is done.
        guard name.utf8.count <= 255 else { throw .writing("cannot create \(finalPath)", SystemError(ENAMETOOLONG)) }
        try replacement.check()
        item = try VidscanError.writing("cannot create a folder in \(parent)", try .folder(for: name, in: folder))
    }

    deinit { discardUnlessComplete() }

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

    /// Leads to the folder while it is written, even if its name changes.
    package var partialPath: String { item.path }

    package func discardUnlessComplete() {
        guard isOpen else { return }
        isOpen = false
        item.remove()
    }

    /// Gives the folder its final name. All files must be finished. Returns the older result if it got another name.
    @discardableResult
    package func complete() throws(VidscanError) -> FolderReplacement.Previous? {
        guard item.isInPlace else {
            throw VidscanError(
                .output, "cannot write \(finalPath): its temporary folder was removed meanwhile", stage: .write)
        }
        // The contents must be on disk before the name is.
        try VidscanError.writing("cannot move the \(kind.noun) to \(finalPath)", try Folder(partialPath).sync())
        let previous = try replacement.put(item.name)
        isOpen = false
        item.release()
        return previous
    }

    /// Keeps only the record, videos and pictures with hidden faces and their record, and the report page.
    package func removeTables() throws(VidscanError) {
        do throws(SystemError) {
            let contents = try Folder(partialPath)
            for name in try contents.names().map({ String(decoding: $0, as: UTF8.self) })
            where name != kind.record && name != "report.html" && !name.hasPrefix("anonymized.")
                && !name.hasPrefix("inverted.")
            {
                try contents.remove(name)
            }
        } catch {
            throw VidscanError(.output, "cannot remove the tables: \(error)", stage: .write)
        }
    }

    package func write(_ record: some Encodable) throws(VidscanError) {
        let file = try OutputFile(path: "\(partialPath)/\(kind.record)")
        let text = try RecordFile.text(record, name: kind.record)
        try file.write { $0.write(text: text) }
        try file.finish()
    }
}
