internal import Foundation

/// A file in the making: a hidden sibling, renamed to its final name only when it is complete.
final class UnfinishedFile {
    let finalPath: String
    let partialPath: String
    private let replaces: Bool
    private var isOpen = true

    /// - Parameter sourcePath: a file that is never replaced.
    /// - Throws: `PipelineError` when a file is there already, or the place cannot be written to.
    init(finalPath: String, replaces: Bool, sourcePath: String) throws(PipelineError) {
        self.finalPath = finalPath
        self.replaces = replaces
        // Foundation on Linux has no answer for a path of one letter.
        let folder = finalPath.contains("/") ? (finalPath as NSString).deletingLastPathComponent : ""
        let name = (finalPath as NSString).lastPathComponent
        partialPath = (folder as NSString).appendingPathComponent(".\(name).partial-\(getpid())")
        var source = stat()
        var target = stat()
        if stat(sourcePath, &source) == 0, stat(finalPath, &target) == 0, source.st_ino == target.st_ino,
            source.st_dev == target.st_dev
        {
            throw PipelineError(.exists, "\(finalPath) is the video itself, which is never replaced", stage: .open)
        }
        try checkVacancy()
        ResultFolder.removeLeftovers(of: name, in: folder.isEmpty ? "." : folder)
        let descriptor = open(partialPath, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            throw PipelineError(
                .output, "cannot write \(finalPath): \(String(cString: strerror(errno)))", stage: .render)
        }
        close(descriptor)
    }

    deinit {
        discardUnlessComplete()
    }

    func discardUnlessComplete() {
        guard isOpen else { return }
        isOpen = false
        unlink(partialPath)
    }

    /// Brings the file to the disk and gives it its final name.
    func complete() throws(PipelineError) {
        try checkVacancy()
        let descriptor = open(partialPath, O_RDONLY | O_CLOEXEC)
        let isOnDisk = descriptor >= 0 && fsync(descriptor) == 0
        if descriptor >= 0 { close(descriptor) }
        guard isOnDisk, rename(partialPath, finalPath) == 0 else {
            throw PipelineError(
                .output, "cannot write \(finalPath): \(String(cString: strerror(errno)))", stage: .render)
        }
        isOpen = false
    }

    private func checkVacancy() throws(PipelineError) {
        var status = stat()
        guard stat(finalPath, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw PipelineError(.exists, "\(finalPath) is no regular file; it is left as it is", stage: .open)
        }
        guard replaces else {
            throw PipelineError(.exists, "\(finalPath) exists; --force replaces it", stage: .open)
        }
    }
}
