internal import Foundation
internal import VidscanBase

/// The folder of a study, which one process at a time changes.
final class StudyFolder {
    /// Absolute.
    let path: String
    private let descriptor: Int32
    private let isNew: Bool

    /// Creates the folder if needed. Throws if another process is using it.
    init(_ path: String) throws(VidscanError) {
        self.path = path
        isNew = !FileManager.default.fileExists(atPath: path)
        do throws(SystemError) { try FileSystem.createFolder(path) } catch {
            throw .writing("cannot create the folder \(path)", error, stage: .write)
        }
        descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .writing("cannot open the folder \(path)", .current, stage: .write) }
        // Some network file systems have no locks, which is another error.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK else {
            throw VidscanError(
                .output, "another 'vidscan people' is writing to \(path); wait until it has finished", stage: .write)
        }
    }

    deinit {
        // A run that failed leaves no empty folder.
        if isNew { rmdir(path) }
        close(descriptor)
    }

    func path(of name: String) -> String { FilePath.joining(path, name) }

    func contains(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(of: name)) }
}
