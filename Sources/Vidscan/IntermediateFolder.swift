internal import Foundation
internal import VidscanBase

/// A folder for the intermediate files of one analysis, which only the user can read. It is removed with its last
/// reference, or, if the process is killed, by a later analysis.
final class IntermediateFolder {
    let path: String
    /// Locked as long as the folder is in use. The kernel releases the lock when the process ends.
    private let descriptor: Int32

    /// - Parameter parent: Where the folder is made.
    init(in parent: String) throws(VidscanError) {
        Self.removeLeftovers(in: parent)
        var attempts = 0
        while true {
            attempts += 1
            var template = Array((FilePath.joining(parent, Self.prefix) + "XXXXXX").utf8CString)
            guard mkdtemp(&template) != nil else {
                throw .writing("cannot create a folder in \(parent)", .current, stage: .open)
            }
            let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
            if let descriptor = Self.lock(path) {
                (self.path, self.descriptor) = (path, descriptor)
                return
            }
            // Another process took the folder for a leftover before it was locked.
            guard attempts < 10 else { throw VidscanError(.output, "cannot lock \(path)", stage: .open) }
        }
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
        close(descriptor)
    }

    private static let prefix = "vidscan-analysis-"

    /// - Returns: `nil` if there is no such folder of this user, or if it is in use.
    private static func lock(_ path: String) -> Int32? {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        var (opened, named) = (stat(), stat())
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, fstat(descriptor, &opened) == 0, lstat(path, &named) == 0,
            opened.st_ino == named.st_ino, opened.st_dev == named.st_dev, opened.st_uid == geteuid()
        else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    private static func removeLeftovers(in parent: String) {
        let names = (try? FileSystem.names(in: parent)) ?? []
        for name in names where name.starts(with: prefix.utf8) && name.count == prefix.utf8.count + 6 {
            let path = FilePath.joining(parent, String(decoding: name, as: UTF8.self))
            guard let descriptor = lock(path) else { continue }
            try? FileManager.default.removeItem(atPath: path)
            close(descriptor)
        }
    }
}
