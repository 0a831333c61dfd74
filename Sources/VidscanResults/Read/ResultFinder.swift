internal import Glibc
package import VidscanBase

/// Finds results: those that the user names, and those in the folders that the user names, at any depth.
///
/// Hidden folders are ignored, because unfinished results have hidden names, and so are results that were set aside. Links to folders are not followed, so that
/// there are no cycles.
package enum ResultFinder {
    /// - Parameter path: A result, or a folder that contains some, such as that of a batch.
    /// - Returns: The absolute paths of the results, sorted.
    /// - Throws: `VidscanError` if there is none.
    package static func find(_ path: String) throws(VidscanError) -> [String] {
        let root = FilePath.absolute(FilePath.expandingHome(path))
        if isResult(root) { return [root] }
        var results: [String] = []
        var pending = [root]
        while let folder = pending.popLast() {
            let names: [[UInt8]]
            do throws(SystemError) {
                names = try FileSystem.names(in: folder)
            } catch {
                let place = folder == root ? "" : " \(folder)"
                throw VidscanError(.result, "cannot read the folder\(place): \(error)", input: path, stage: .open)
            }
            for bytes in names where bytes.first != UInt8(ascii: ".") {
                // A result whose name is no text can be named by no table.
                guard let name = String(validating: bytes, as: UTF8.self), !ResultPaths.isPrevious(name) else {
                    continue
                }
                let inner = FilePath.joining(folder, name)
                var status = stat()
                guard lstat(inner, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { continue }
                if isResult(inner) { results.append(inner) } else { pending.append(inner) }
            }
        }
        guard !results.isEmpty else {
            throw VidscanError(
                .result, "is not a vidscan result and contains none: there is no run.json", input: path, stage: .open)
        }
        return results.sorted { PathBytes($0) < PathBytes($1) }
    }

    private static func isResult(_ folder: String) -> Bool {
        var status = stat()
        return stat(folder + "/run.json", &status) == 0
    }
}
