internal import Foundation
package import VidscanBase
internal import VidscanMedia
internal import VidscanResults

/// The page on which a person covers what the detector missed in a video with hidden faces, and releases covers of no face.
/// It plays the original.
package enum CoversPage {
    /// Writes the page, and returns its path.
    ///
    /// - Parameters:
    ///   - resultPath: needs no tables, and no video with hidden faces.
    ///   - input: the video, if it has moved.
    ///   - coversPath: the file to begin with; `nil` is `NAME.covers.json` beside the result, if there is one.
    ///   - outputPath: `nil` is `NAME.covers.html` beside the result.
    package static func write(
        resultPath: String, input: String? = nil, coversPath: String? = nil, outputPath: String? = nil, replaces: Bool
    ) throws(VidscanError) -> String {
        let result = try StoredResult(path: resultPath, needsTables: false)
        let path = outputPath ?? CoverFile.usualPath(beside: resultPath, ending: ".covers.html")
        try AtomicFile.checkVacancy(path, replaces: replaces)
        let source = try result.source(override: input, acceptsChanges: false)
        let folder = FilePath.folder(of: path)
        let original = PageVideo(path: source.absolutePath, of: result, isSource: true, page: path)
        let title = FilePath.name(of: source.absolutePath), notice = "This page plays the original: do not pass it on."
        let content: [String: Any] = [
            "head": PageHead(.covers, title: title, summary: "What to cover", notices: [notice], loads: .video),
            "address": original.address, "isPicture": original.isPicture,
            "hidden": result.videoForPages.map { [["hiddenAddress": FilePath.relative($0, to: folder)]] } ?? [],
            "kinds": CoverFile.What.allCases.map(\.rawValue),
            "data": try data(result, source, named: title, covers: coversPath, page: folder, isMoved: input != nil),
        ]
        let page = try PageTemplate.covers.render(content, for: path)
        try AtomicFile.write(page, to: path, replaces: replaces, source: source.absolutePath)
        return path
    }

    private static func data(
        _ result: StoredResult, _ source: InputFile, named title: String, covers: String?, page folder: String,
        isMoved: Bool
    ) throws(VidscanError) -> String {
        let (record, name) = (result.record, result.name)
        guard let width = record.filters?.sourceWidth ?? record.video.displayWidth,
            let height = record.filters?.sourceHeight ?? record.video.displayHeight
        else { throw .result("run.json does not give the size of the frame", input: name) }
        let rate = try VidscanError.media(stage: .open) { () throws(MediaError) in
            let options = FrameReader.Options(rate: .everyFrame, streamIndex: record.video.stream)
            return try FrameReader(path: source.absolutePath, options: options).info.frameRate.value
        }
        let (interval, video) = (1 / max(rate, 1e-3), record.video)
        let first = video.streamStartSeconds.map { $0 - video.containerStartSeconds } ?? 0
        let paths = paths(of: name, source.absolutePath)
        let hiding = HidingSettings(result)
        var data: [String: JSONValue] = [
            "video": .object([
                "name": .text(title), "bytes": .integer(Int(record.input.bytes)), "width": .integer(width),
                "height": .integer(height),
            ]),
            "start": .number(min(0, first)),
            "end": .number(video.durationSeconds ?? first + interval * Double(max(1, record.counts.decodedFrames))),
            // Of the first picture, with which the video with hidden faces begins; and from one picture to the next.
            "first": .number(first), "interval": .number(interval),
            "covers": .list(try self.covers(of: result, at: covers)), "margin": .number(hiding.margin),
            "again": .list(hiding.command(isMoved: isMoved).map(JSONValue.text)),
            "paths": .object(paths.mapValues { .text(FilePath.relative($0, to: folder)) }),
            // What only the report has.
            "metrics": .list([]), "cuts": .list([]), "stride": .integer(1),
        ]
        data["duration"] = video.durationSeconds.map(JSONValue.number)
        return PageTemplate.data(.object(data))
    }

    /// By the words in capitals in the arguments of a command.
    private static func paths(of result: String, _ video: String) -> [String: String] {
        let outside = FilePath.folder(of: FilePath.absolute(result))
        return [
            "RESULT": result, "SETTINGS": result + "/run.json", "VIDEO": video, "FOLDER": outside,
            "NEW": outside + "/hidden", "COVERS": CoverFile.usualPath(beside: result),
        ]
    }

    /// The command that makes the video with hidden faces of a result again.
    package static func command(for path: String) throws(VidscanError) -> String {
        let result = try StoredResult(path: path, needsTables: false)
        let paths = paths(of: path, result.record.input.path)
        return HidingSettings(result).command(isMoved: false).reduce("vidscan") {
            "\($0) \(paths[$1].map(FilePath.shellWord) ?? $1)"
        }
    }

    /// Checked as strictly as for a video, because the page writes them back.
    private static func covers(of result: StoredResult, at path: String?) throws(VidscanError) -> [JSONValue] {
        let usual = path == nil ? try CoverFile.path(beside: result.name) : nil
        guard let path = path ?? usual else { return [] }
        let text = try TextFile.text(named: path, limit: CoverFile.maximumBytes)
        try CoverFile(text: text, path: path).check(result.record)
        struct Content: Decodable { let covers: [JSONValue] }
        do { return try JSONDecoder().decode(Content.self, from: Data(text.utf8)).covers } catch {
            throw .result("\(error)", input: path)
        }
    }
}

/// How the video with hidden faces of a result was made last.
private struct HidingSettings {
    private let result: StoredResult
    private let record: [String: JSONValue]?

    init(_ result: StoredResult) {
        self.result = result
        let file = try? RecordFile.decode(
            [String: JSONValue].self, folder: result.name, name: "anonymized.json", limit: ReadLimits.hidingRecord)
        record = result.hiding == nil ? nil : file
    }

    /// How far the cover of a face extends beyond it, as a fraction of its size.
    var margin: Double { text(record?["margin"]).flatMap(Double.init) ?? AnonymizeOptions(method: .blur).margin }

    /// The arguments that make the video again with the same settings. Words in capitals are names of paths.
    func command(isMoved: Bool) -> [String] {
        let recorded = result.record.pipeline.render, hid = recorded?.anonymize != nil
        // The covers that were just drawn, not those of the recorded settings.
        let covers = recorded?.covers == nil ? [] : ["--covers", "COVERS"]
        guard FileSystem.entry(result.name + "/faces.csv") != nil, hid || record != nil else {
            // Faces cannot be hidden after every analysis. Another result leaves the tables of this one as they are.
            return ["analyze", "VIDEO"]
                + (hid
                    ? ["--pipeline", "SETTINGS", "--output", "FOLDER", "--force"] + covers
                    : ["--anonymize", "blur", "--covers", "COVERS", "--output", "NEW"])
        }
        return ["render", "RESULT"] + (hid && recorded?.isRepeatable == true ? ["--pipeline", "SETTINGS"] : []) + covers
            + (options ?? ["--anonymize", recorded?.anonymize ?? "blur"])
            + (!hid && record?["method"] == .text("sticker") ? ["--sticker", "FILE"] : [])
            + (isMoved ? ["--input", "VIDEO"] : []) + ["--force"]
    }

    private var options: [String]? {
        guard let record else { return nil }
        var visible: [String: JSONValue] = [:]
        if case .object(let members)? = record["visible"] { visible = members }
        let values = [
            ("--anonymize", record["method"] ?? .text("blur")), ("--shape", record["shape"]),
            ("--margin", record["margin"]), ("--hold", record["hold_seconds"]), ("--strength", record["strength"]),
            ("--keep", visible["kept_person_ids"]), ("--hide", visible["hidden_person_ids"]),
            ("--keep-face", visible["kept_face_ids"]), ("--hide-face", visible["hidden_face_ids"]),
        ]
        return values.flatMap { name, value in text(value).map { [name, $0] } ?? [] }
            + (record["copies_audio"] == .flag(false) ? ["--no-audio"] : [])
            + (record["copies_subtitles"] == .flag(true) ? ["--keep-subtitles"] : [])
    }

    /// `nil` for nothing, and for a list without numbers.
    private func text(_ value: JSONValue?) -> String? {
        switch value {
        case .text(let text): text
        case .integer(let number): "\(number)"
        case .number(let number): "\(number)"
        case .list(let values) where !values.isEmpty: values.compactMap(text).joined(separator: ",")
        default: nil
        }
    }
}
