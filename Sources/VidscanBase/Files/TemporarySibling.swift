internal import Glibc

/// The hidden name that a file or folder has beside its final path while it is incomplete or being replaced:
/// `.NAME.partial-PID`. It contains the process that uses it, so that a later run can tell what a killed one left.
package struct TemporarySibling: Sendable {
    package enum Purpose: String, Sendable {
        /// Becomes the file or folder at the final path.
        case partial
        /// Was the folder at the final path.
        case old
    }

    private let finalPath: String
    private let prefix: String

    package init(of finalPath: String, _ purpose: Purpose) {
        self.finalPath = finalPath
        prefix = ".\(FilePath.name(of: finalPath)).\(purpose.rawValue)-"
    }

    /// The path that this process uses.
    package var path: String { FilePath.sibling(of: finalPath, named: prefix + "\(getpid())") }

    /// The paths that processes which have ended left behind, and the path that this process is about to use, if there
    /// is something.
    package var leftovers: [String] {
        let names = (try? FileSystem.names(in: FilePath.folder(of: finalPath))) ?? []
        return names.map { String(decoding: $0, as: UTF8.self) }.sorted().filter { name in
            guard name.hasPrefix(prefix), let process = pid_t(name.dropFirst(prefix.count)) else { return false }
            return !ProcessIdentity.isOtherRunning(process)
        }.map { FilePath.sibling(of: finalPath, named: $0) }
    }
}
