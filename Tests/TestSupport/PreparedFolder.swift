import Foundation
import Synchronization
import Testing

/// A folder that many tests begin with. It is filled once per test process, and each test gets a copy.
package final class PreparedFolder: Sendable {
    private static let all = Mutex<[String: PreparedFolder]>([:])

    private let filled = Mutex<TemporaryFolder?>(nil)

    /// Returns a copy of a folder, with the dates of its files. Records in it name the paths of the copy.
    ///
    /// - Parameters:
    ///   - name: of the folder; one name must always come with the same `fill`.
    ///   - fill: fills the folder. If it fails, the next test tries again.
    package static func copy(_ name: String, fill: (TemporaryFolder) throws -> Void) throws -> TemporaryFolder {
        let prepared = all.withLock { all in
            let prepared = all[name] ?? PreparedFolder()
            all[name] = prepared
            return prepared
        }
        // Other tests wait until the first one has filled it.
        let source = try prepared.filled.withLock { filled in
            if let filled { return filled }
            let folder = try TemporaryFolder()
            try fill(folder)
            folder.removeAtExit()
            filled = folder
            return folder
        }
        let copy = try TemporaryFolder()
        try copy.take(from: source)
        return copy
    }
}

extension TemporaryFolder {
    /// Copies everything from another folder, with the dates, and names this one's path in `run.json` and `part.json`.
    fileprivate func take(from source: TemporaryFolder) throws {
        let copied = try ChildProcess.run(["cp", "--archive", "--reflink=auto", source.path + "/.", path])
        try #require(copied.status == 0, "\(copied.errors)")
        for name in entries where name.hasSuffix("/run.json") || name.hasSuffix("/part.json") {
            let text = try text(name)
            guard text.contains(source.path) else { continue }
            let url = URL(fileURLWithPath: path + "/" + name)
            let date = try #require(
                try url.resourceValues(forKeys: [.contentModificationDateKey]).contentModificationDate)
            try write(text.replacing(source.path, with: path), to: name)
            try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: url.path)
        }
    }
}
