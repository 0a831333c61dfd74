internal import CLinux
internal import Foundation
package import VidscanBase

/// Replaces an existing folder with a finished one, so that at least one of them survives any failure. If the file
/// system can exchange two names, this is a single step. Otherwise (NFS, exFAT, FAT) it takes two steps, and if a run
/// is killed between them, the next run recovers.
package struct FolderReplacement: Sendable {
    /// The system calls, which return 0 or an error number. Tests replace them to make them fail.
    package struct Calls: Sendable {
        package var exchange: @Sendable (String, String) -> Int32
        package var rename: @Sendable (String, String) -> Int32

        package static let system = Calls(
            exchange: { vs_exchange($0, $1) == 0 ? 0 : errno }, rename: { Glibc.rename($0, $1) == 0 ? 0 : errno })

        package init(
            exchange: @escaping @Sendable (String, String) -> Int32,
            rename: @escaping @Sendable (String, String) -> Int32
        ) {
            self.exchange = exchange
            self.rename = rename
        }
    }

    private let finalPath: String
    private let record: String
    private let calls: Calls

    /// - Parameter record: The file whose presence shows that vidscan made a folder.
    package init(finalPath: String, record: String, calls: Calls = .system) {
        self.finalPath = finalPath
        self.record = record
        self.calls = calls
    }

    /// The path of the old folder between the two steps.
    private var aside: TemporarySibling { TemporarySibling(of: finalPath, .old) }

    /// Moves the folder at `newPath` to the final path. An old folder there is removed, or restored if this fails.
    package func put(_ newPath: String) throws(VidscanError) {
        guard FileManager.default.fileExists(atPath: finalPath) else {
            return try check(calls.rename(newPath, finalPath))
        }
        let result = calls.exchange(newPath, finalPath)
        switch result {
        case 0: try? FileManager.default.removeItem(atPath: newPath)
        case EINVAL, ENOSYS, ENOTSUP: try putInTwoSteps(newPath)
        default: throw failure(result)
        }
    }

    private func putInTwoSteps(_ newPath: String) throws(VidscanError) {
        let asidePath = aside.path
        try check(calls.rename(finalPath, asidePath))
        // Otherwise a machine that crashes now might not keep the old folder's other name.
        syncFolder()
        let result = calls.rename(newPath, finalPath)
        guard result == 0 else {
            guard calls.rename(asidePath, finalPath) == 0 else {
                throw VidscanError(
                    .output,
                    "cannot replace \(finalPath): \(SystemError(result)); the old one is at"
                        + " \(asidePath)", stage: .write)
            }
            throw failure(result)
        }
        syncFolder()
        try? FileManager.default.removeItem(atPath: asidePath)
    }

    private func check(_ result: Int32) throws(VidscanError) {
        guard result == 0 else { throw failure(result) }
    }

    private func failure(_ number: Int32) -> VidscanError {
        .writing("cannot move the result to \(finalPath)", SystemError(number), stage: .write)
    }

    private func syncFolder() {
        try? FileSystem.syncFolder(FilePath.folder(of: finalPath))
    }

    /// Recovers from a run that ended between the two steps: moves the old folder back if the final path does not
    /// exist, and removes it if the new folder has taken its place. Folders of processes that still run are left alone.
    package func recover() {
        for path in aside.leftovers {
            var status = stat()
            // A symbolic link could lead anywhere.
            guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
                FileManager.default.fileExists(atPath: "\(path)/\(record)")
            else { continue }
            if lstat(finalPath, &status) != 0 {
                if calls.rename(path, finalPath) == 0 { syncFolder() }
            } else if FileManager.default.fileExists(atPath: "\(finalPath)/\(record)") {
                try? FileManager.default.removeItem(atPath: path)
            }
        }
    }
}
