package import VidscanBase
internal import VidscanResults

/// Where the files of an export go, and where the video is from there.
package struct ExportPlaces {
    let stem: String
    /// In the order of the formats. `subject`: the only person or face in the file; `nil` for all.
    let files: [(format: ExportFormat, subject: Tier.Subject?, paths: [String])]
    private let result: StoredResult

    /// `subjects`: those with tables of their own. Throws if the folder cannot be created, or two files share a name.
    init(
        _ formats: [ExportFormat], of subjects: [Tier.Subject], options: Exporter.Options, result: StoredResult
    ) throws(VidscanError) {
        let (stem, output) = (Self.stem(of: result.record.input.path), options.output.map(FilePath.expandingHome))
        let folder = output == nil ? result.name : try Self.folder(output, options.outputIsFolder)
        files = formats.flatMap { format in
            let subjects: [Tier.Subject?] = format.table == nil || subjects.isEmpty ? [nil] : subjects
            return subjects.map { subject in
                guard folder == nil, let output else {
                    let name = stem + (subject?.name.map { "." + $0 } ?? "")
                    let endings = format.endings(inResult: output == nil)
                    return (format, subject, endings.map { FilePath.joining(folder ?? "", name + $0) })
                }
                let name = Self.withoutExtension(FilePath.name(of: output))
                let others = format.endings().dropFirst().map { ending in
                    FilePath.sibling(of: output, named: name + ending.drop { $0 != "." })
                }
                return (format, subject, [output] + others)
            }
        }
        (self.stem, self.result) = (stem, result)
        try require(
            Set(paths.map(PathBytes.init)).count == paths.count, .output,
            "\(output ?? "") would be the name of two files; name it with another extension", input: result.name,
            stage: .open)
    }

    /// Creates the folder at a path; returns `nil` if the path is that of a file.
    static func folder(_ output: String?, _ isFolder: Bool) throws(VidscanError) -> String? {
        guard let output, isFolder || output.hasSuffix("/") || FileSystem.entry(output) == .folder else { return nil }
        try VidscanError.writing("cannot create the folder \(output)", try FileSystem.createFolder(output))
        return output
    }

    var paths: [String] { files.flatMap(\.paths) }

    /// Describes the video for a document at a path. If the video's faces were hidden, the document tells its name only.
    func media(from document: String) -> ELANDocument.Media {
        let record = result.record
        let path = FilePath.absolute(record.input.path)
        let name = FilePath.name(of: path)
        let steps = FilePath.names(from: FilePath.folder(of: FilePath.absolute(document)), to: path)
        // The extension tells the media type (RFC 6838), or else FFmpeg's name of the container.
        let formats = [FilePath.fileExtension(of: path)] + record.video.format.split(separator: ",").map(String.init)
        return ELANDocument.Media(
            path: result.hidesFaces ? "/" + name : path,
            // `./movie.mp4` or `../movie.mp4`
            relativePath: result.hidesFaces
                ? "./" + name : (steps.first == ".." ? "" : "./") + steps.joined(separator: "/"),
            type: formats.lazy.compactMap { Self.mediaTypes[$0] }.first ?? "video/*", modified: record.input.modified)
    }

    /// Throws if files of two results would have the same path. `endings`: of the files made from each.
    package static func checkNames(of results: [String], endings: [String], in output: String?) throws(VidscanError) {
        guard output != nil else { return }
        var owners: [PathBytes: String] = [:]
        for result in results {
            guard let video = (try? StoredResult(path: result))?.record.input.path else { continue }
            for name in endings.map({ stem(of: video) + $0 }) {
                let other = owners.updateValue(result, forKey: PathBytes(name))
                try require(
                    other == nil, .input,
                    "\(other ?? "") and \(result) would both be written as \(name); export one of them elsewhere")
            }
        }
    }

    /// Returns `movie` for `/a/movie.mp4`. A name is never empty, and no byte in it ends it early.
    static func stem(of path: String) -> String {
        let name = FilePath.name(of: path).split(separator: "\0", omittingEmptySubsequences: false)
        let stem = withoutExtension(name.joined(separator: "_"))
        return stem.isEmpty || stem == "/" ? "video" : stem
    }

    private static func withoutExtension(_ name: String) -> String {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name }
        return String(name[..<dot])
    }

    private static let mediaTypes = [
        "mp4": "video/mp4", "m4v": "video/mp4", "mov": "video/quicktime", "qt": "video/quicktime",
        "mkv": "video/x-matroska", "matroska": "video/x-matroska", "webm": "video/webm", "avi": "video/x-msvideo",
        "ts": "video/mp2t", "mts": "video/mp2t", "m2ts": "video/mp2t", "mpegts": "video/mp2t", "mpg": "video/mpeg",
        "mpeg": "video/mpeg", "wmv": "video/x-ms-wmv", "asf": "video/x-ms-asf", "flv": "video/x-flv",
        "ogv": "video/ogg", "ogg": "video/ogg", "3gp": "video/3gpp", "gif": "image/gif", "png": "image/png",
        "jpg": "image/jpeg", "jpeg": "image/jpeg",
    ]
}

/// A file format of another program's annotations.
package enum ExportFormat: String, Sendable, CaseIterable {
    case elan
    /// WebVTT: captions, and a metadata track with boxes.
    case vtt
    /// Praat.
    case textgrid
    /// A table of events as the Brain Imaging Data Structure defines it, with its description.
    case bids
    /// Rich Transcription Time Marked.
    case rttm
    /// A table with the columns of OpenFace, which has the name that OpenFace gives it in a folder that the user names.
    case openface
    /// A table with the columns of Py-Feat.
    case pyfeat

    /// The ends of the file names, after the video's name without its extension. `--output` names the first file.
    package func endings(inResult: Bool = true) -> [String] {
        switch self {
        case .elan: [".eaf"]
        case .vtt: [".vtt", ".metadata.vtt"]
        case .textgrid: [".TextGrid"]
        case .bids: ["_events.tsv", "_events.json"]
        case .rttm: [".rttm"]
        case .openface where !inResult: [".csv"]
        case .openface, .pyfeat: [".\(rawValue).csv"]
        }
    }

    /// The format of an analysis that makes the same file; `nil` for annotations.
    var table: OutputFormat? { OutputFormat(rawValue: rawValue) }
}
