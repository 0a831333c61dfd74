internal import Foundation
internal import VidscanBase
internal import VidscanResults

/// Where the files of an export go, and where the video is from there.
struct ExportFiles {
    /// The name of the video without its extension.
    let stem: String
    private let files: [ExportFormat: [String]]
    private let formats: [ExportFormat]
    private let result: StoredResult

    /// - Throws: `VidscanError` if the folder cannot be created, or two files would have the same name.
    init(options: Exporter.Options, result: StoredResult) throws(VidscanError) {
        let stem = Self.stem(of: result.record.input.path)
        let output = options.output.map(FilePath.expandingHome)
        var folder: String? = output == nil ? result.name : nil
        if let output, options.outputIsFolder || output.hasSuffix("/") || Self.isFolder(output) {
            do throws(SystemError) {
                try FileSystem.createFolder(output)
            } catch {
                throw .writing("cannot create the folder \(output)", error, stage: .write)
            }
            folder = output
        }
        var files: [ExportFormat: [String]] = [:]
        for format in options.formats {
            if let folder {
                files[format] = format.endings.map { FilePath.joining(folder, stem + $0) }
            } else if let output {
                let name = FilePath.name(of: output)
                let dot = name.lastIndex(of: ".").flatMap { $0 == name.startIndex ? nil : $0 } ?? name.endIndex
                let second = format.secondExtension.map { FilePath.sibling(of: output, named: name[..<dot] + $0) }
                files[format] = [output] + [second].compactMap { $0 }
            }
        }
        let all = files.values.flatMap { $0 }
        guard Set(all.map(PathBytes.init)).count == all.count else {
            throw VidscanError(
                .output, "\(output ?? "") would be the name of two files; name it with another extension",
                input: result.name, stage: .open)
        }
        self.stem = stem
        self.files = files
        self.result = result
        formats = options.formats
    }

    /// All files, in the order of the formats.
    var paths: [String] { formats.flatMap { self[$0] } }

    subscript(format: ExportFormat) -> [String] { files[format] ?? [] }

    /// Describes the video for a document at a path. If the video's faces were hidden, the document tells its name only.
    func media(from document: String) -> ELANDocument.Media {
        let record = result.record
        let (path, folder) = (FilePath.absolute(record.input.path), FilePath.folder(of: FilePath.absolute(document)))
        let relative = Self.relative(path, to: folder)
        let name = FilePath.name(of: path)
        return ELANDocument.Media(
            path: result.hidesFaces ? "/" + name : path, relativePath: result.hidesFaces ? "./" + name : relative,
            type: MediaType.of(path, format: record.video.format), modified: record.input.modified)
    }

    /// Returns `./movie.mp4` or `../movie.mp4`.
    private static func relative(_ path: String, to folder: String) -> String {
        let target = FilePath.names(path)
        let base = FilePath.names(folder)
        let common = zip(target, base).prefix { $0.utf8.elementsEqual($1.utf8) }.count
        let ups = Array(repeating: "..", count: base.count - common)
        return ((ups.isEmpty ? ["."] : ups) + target[common...].map(String.init)).joined(separator: "/")
    }

    /// Returns `movie` for `/a/movie.mp4`. A name is never empty, and no byte in it ends it early.
    private static func stem(of path: String) -> String {
        let name = FilePath.name(of: path).split(separator: "\0", omittingEmptySubsequences: false).joined(
            separator: "_")
        let dot = name.lastIndex(of: ".").flatMap { $0 == name.startIndex ? nil : $0 } ?? name.endIndex
        let stem = String(name[..<dot])
        return stem.isEmpty || stem == "/" ? "video" : stem
    }

    private static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }
}
