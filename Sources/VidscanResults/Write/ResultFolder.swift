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

    /// Creates the parent of `finalPath` if it is missing. No link is followed below `base`; `nil` is that parent.
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
        folder.restrict(item.descriptor, like: name)
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

    private func finish(_ new: Folder) throws(SystemError) {
        let old = try? folder.folder(FilePath.name(of: finalPath), creates: false)
        for bytes in old == nil ? [] : try new.names() {
            guard let name = String(validating: bytes, as: UTF8.self), let file = new.examine(name) else { continue }
            old?.restrict(file, like: name)
            close(file)
        }
        try new.sync()
    }

    /// Gives the folder its final name. All files must be finished. Returns the older result if it got another name.
    @discardableResult package func complete() throws(VidscanError) -> FolderReplacement.Previous? {
        try require(
            item.isInPlace, .output, "cannot write \(finalPath): its temporary folder was removed meanwhile",
            stage: .write)
        // The contents must be on disk before the name is.
        try VidscanError.writing("cannot move the \(kind.noun) to \(finalPath)", try finish(Folder(partialPath)))
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
            { try contents.remove(name) }
        } catch { throw VidscanError(.output, "cannot remove the tables: \(error)", stage: .write) }
    }

    package func write(_ record: some Encodable) throws(VidscanError) {
        let file = try OutputFile(path: "\(partialPath)/\(kind.record)")
        let text = try RecordFile.text(record, name: kind.record)
        try file.write { $0.write(text: text) }
        try file.finish()
    }
}

/// Decides where the results of inputs are stored.
package enum ResultPaths {
    /// Returns one absolute path per input, in order: the file name with `.vidscan` appended. The extension stays
    /// because `a.mp4` and `a.mov` are different inputs. Inputs with the same name from different folders are numbered.
    /// `folder` holds the results; `nil` means the current one. With a `segment`, names are like `a.mp4.part-2-of-7`.
    package static func plan(inputs: [String], folder: String?, segment: VideoSegment? = nil) -> [String] {
        let ending = segment.map(partEnding) ?? resultEnding
        let base = absolute(folder)
        var taken: Set<PathBytes> = []
        return inputs.map { input in
            let name = FilePath.name(of: input)
            var (candidate, number) = (name + ending, 2)
            while !taken.insert(PathBytes(candidate)).inserted {
                candidate = "\(name)-\(number)\(ending)"
                number += 1
            }
            return FilePath.joining(base, candidate)
        }
    }

    /// Returns the absolute path of a result in `folder`; `nil` means the current one.
    package static func path(of resultName: String, folder: String?) -> String {
        FilePath.joining(absolute(folder), resultName)
    }

    static let resultEnding = ".vidscan"
    /// Precedes the number in the name of a result that was set aside: `a.mp4.vidscan.previous-1`.
    static let previousEnding = ".previous-"

    package static func isResult(_ name: String) -> Bool { name.hasSuffix(resultEnding) || isPrevious(name) }

    static func isPrevious(_ name: String) -> Bool { name.wholeMatch(of: /(?s).*\.vidscan\.previous-\d+/) != nil }

    private static func partEnding(_ segment: VideoSegment) -> String { ".part-\(segment.index)-of-\(segment.count)" }

    /// Returns the name of the merged result to which the segment folder at `path` belongs.
    package static func resultName(ofPart path: String, _ segment: VideoSegment) -> String {
        let name = FilePath.name(of: path)
        let ending = partEnding(segment)
        return (name.hasSuffix(ending) ? String(name.dropLast(ending.count)) : name) + resultEnding
    }

    private static func absolute(_ folder: String?) -> String {
        FilePath.absolute(FilePath.expandingHome(folder ?? "."))
    }
}
