internal import Glibc
package import VidscanBase

/// Finds results by path, or at any depth below a folder.
///
/// Ignores hidden folders, because unfinished results have hidden names, and results that were set aside. Does not
/// follow links to folders, so that there are no cycles.
package enum ResultFinder {
    /// Returns the sorted absolute paths of the results at or below `path`, at least one.
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
                throw .result("cannot read the folder\(place): \(error)", input: path)
            }
            for bytes in names where bytes.first != UInt8(ascii: ".") {
                // No table can name a result whose name is not text.
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
            throw .result("is not a vidscan result and contains none: there is no run.json", input: path)
        }
        return results.sorted { PathBytes($0) < PathBytes($1) }
    }

    private static func isResult(_ folder: String) -> Bool {
        var status = stat()
        return stat(folder + "/run.json", &status) == 0
    }
}
