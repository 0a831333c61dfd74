internal import Foundation
internal import VidscanBase
internal import VidscanResults

/// Takes files into a folder that replaces another one.
enum FolderContents {
    /// The names of what is in a folder, sorted. Temporary files are left out.
    static func names(_ folder: String) throws(VidscanError) -> [String] {
        var names: [String] = []
        for bytes in try VidscanError.reading("cannot read the folder \(folder)", try FileSystem.names(in: folder)) {
            guard let name = String(validating: bytes, as: UTF8.self) else {
                throw .result("\(folder) has a file whose name is not valid UTF-8; rename it")
            }
            if WorkingName(bytes) == nil { names.append(name) }
        }
        return names.sorted()
    }

    static func exists(_ path: String) -> Bool { FileSystem.entry(path, followsLinks: false) != nil }

    /// Takes over a file, a link or a folder with all that is in it. Files are linked, so that they take no time and no
    /// space, or copied if the file system has no links.
    static func take(_ path: String, to newPath: String) throws(VidscanError) {
        switch FileSystem.entry(path, followsLinks: false) {
        case nil: throw .writing("cannot read \(path)", .current)
        case .file: if link(path, newPath) != 0 { try copy(path, to: newPath) }
        case .folder:
            try makeFolder(newPath)
            for name in try names(path) { try take(FilePath.joining(path, name), to: FilePath.joining(newPath, name)) }
        case .link:
            do {
                let target = try FileManager.default.destinationOfSymbolicLink(atPath: path)
                try FileManager.default.createSymbolicLink(atPath: newPath, withDestinationPath: target)
            } catch {
                throw VidscanError(.output, "cannot copy the link \(path)", stage: .write)
            }
        case .other:
            throw VidscanError(
                .output, "\(path) is neither a file nor a folder; move it out of the result", stage: .write)
        }
    }

    static func copy(_ path: String, to newPath: String) throws(VidscanError) {
        do { try FileManager.default.copyItem(atPath: path, toPath: newPath) } catch {
            throw VidscanError(
                .output, "cannot copy \(path) to \(newPath): \(error.localizedDescription)", stage: .write)
        }
        let descriptor = open(newPath, O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        guard descriptor >= 0, fsync(descriptor) == 0 else { throw .writing("cannot write \(newPath)", .current) }
    }

    static func makeFolder(_ path: String) throws(VidscanError) {
        guard mkdir(path, 0o755) == 0 else { throw .writing("cannot create the folder \(path)", .current) }
    }

    /// Lets one process at a time change a result: as long as the folder that is returned lives. Throws if another process
    /// is changing the result.
    static func lock(_ result: String) throws(VidscanError) -> Folder {
        let folder = try VidscanError.reading("cannot open the folder", input: result, try Folder(result))
        guard folder.lock() else {
            throw VidscanError(
                .output, "another 'vidscan apply' is correcting it; wait until it has finished", input: result,
                stage: .write)
        }
        return folder
    }
}
