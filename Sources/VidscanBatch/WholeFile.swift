internal import Foundation

/// A small file that appears whole, or not at all.
enum WholeFile {
    /// - Throws: `BatchError` with the code `journal`.
    static func write(_ text: String, to path: String) throws(BatchError) {
        let parent = PathText.parent(path)
        let prefix = ".\(PathText.name(path)).partial-"
        removeLeftovers(prefix, in: parent.isEmpty ? "." : parent)
        let partial = (parent.isEmpty ? "" : parent + "/") + prefix + "\(getpid())"
        do {
            try Data(text.utf8).write(to: URL(fileURLWithPath: partial))
        } catch {
            unlink(partial)
            throw BatchError(.journal, "cannot write \(path): \(error.localizedDescription)")
        }
        guard rename(partial, path) == 0 else {
            let reason = String(cString: strerror(errno))
            unlink(partial)
            throw BatchError(.journal, "cannot write \(path): \(reason)")
        }
    }

    /// What a process that was killed at this very moment left.
    private static func removeLeftovers(_ prefix: String, in folder: String) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] where name.hasPrefix(prefix) {
            guard let process = pid_t(name.dropFirst(prefix.count)), kill(process, 0) != 0, errno == ESRCH else {
                continue
            }
            unlink("\(folder)/\(name)")
        }
    }
}
