internal import CLinux
internal import Foundation
package import VidscanBase

/// An unfinished file: a hidden sibling that gets its final name only when it is complete.
package final class PartialFile {
    package let finalPath: String
    package let partialPath: String
    private let replaces: Bool
    private let descriptor: Int32
    private var isOpen = true

    /// - Parameter sourcePath: A file that is never replaced.
    /// - Throws: `VidscanError` if the file exists and may not be replaced, or if it cannot be written.
    package init(finalPath: String, replaces: Bool, sourcePath: String) throws(VidscanError) {
        self.finalPath = finalPath
        self.replaces = replaces
        // In Foundation on Linux, `deletingLastPathComponent` does not work for a path of one letter.
        let folder = finalPath.contains("/") ? (finalPath as NSString).deletingLastPathComponent : ""
        let name = (finalPath as NSString).lastPathComponent
        partialPath = (folder as NSString).appendingPathComponent(".\(name).partial-\(getpid())")
        var source = stat()
        var target = stat()
        if stat(sourcePath, &source) == 0, stat(finalPath, &target) == 0, source.st_ino == target.st_ino,
            source.st_dev == target.st_dev
        {
            throw VidscanError(.exists, "\(finalPath) is the source video, which is never replaced", stage: .open)
        }
        try Self.checkVacancy(finalPath, replaces: replaces)
        ResultFolder.removeLeftovers(of: name, in: folder.isEmpty ? "." : folder)
        descriptor = vs_create_file(partialPath)
        guard descriptor >= 0 else { throw .writing("cannot write \(finalPath)", errno, stage: .render) }
    }

    deinit {
        discardUnlessComplete()
        close(descriptor)
    }

    /// A path for libraries that open the file themselves. It leads to the file that was created, even if another file
    /// has taken its name since.
    package var writingPath: String { "/proc/self/fd/\(descriptor)" }

    package func write(_ text: String) throws(VidscanError) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .writing("cannot write \(finalPath)", errno, stage: .render) }
            rest = rest.dropFirst(count)
        }
    }

    package func discardUnlessComplete() {
        guard isOpen else { return }
        isOpen = false
        unlink(partialPath)
    }

    /// Syncs the file to disk and gives it its final name.
    package func complete() throws(VidscanError) {
        try Self.checkVacancy(finalPath, replaces: replaces)
        guard fsync(descriptor) == 0 else { throw .writing("cannot write \(finalPath)", errno, stage: .render) }
        var made = stat()
        var found = stat()
        guard fstat(descriptor, &made) == 0, lstat(partialPath, &found) == 0, made.st_ino == found.st_ino,
            made.st_dev == found.st_dev
        else {
            throw VidscanError(
                .output, "cannot write \(finalPath): its temporary file was removed meanwhile", stage: .render)
        }
        let folder = FilePath.split(finalPath).folder
        guard rename(partialPath, finalPath) == 0 else {
            throw .writing("cannot write \(finalPath)", errno, stage: .render)
        }
        isOpen = false
        guard vs_sync_folder(folder) == 0 else {
            throw .writing("cannot sync \(finalPath) to disk", errno, stage: .render)
        }
    }

    private static func checkVacancy(_ path: String, replaces: Bool) throws(VidscanError) {
        var status = stat()
        guard stat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw VidscanError(.exists, "\(path) is not a regular file, and is not replaced", stage: .open)
        }
        guard replaces else {
            throw VidscanError(.exists, "\(path) exists; --force replaces it", stage: .open)
        }
    }
}
