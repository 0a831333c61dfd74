internal import Foundation
internal import VidscanAnalysis
internal import VidscanBase
internal import VidscanRender
internal import VidscanReport
internal import VidscanResults

/// The video and the report page that a run makes from its tables.
struct VideoAndPage: ResultAddition {
    func check(_ settings: Settings, resultPath: String) throws {
        if let path = try settings.rendering?.withCovers(beside: resultPath).anonymize?.covers {
            _ = try CoverFile(path: path)
        }
        guard settings.render.namesSomebody else { return }
        // Finds a wrong number before the work.
        _ = try EarlierPeople(resultPath: resultPath, settings: settings.render)
    }

    func make(
        _ settings: Settings, in folder: String, resultPath: String, name: String, observer: any RunObserver
    ) async throws -> [String] {
        var outcome: [String] = []
        if settings.render.namesSomebody {
            try EarlierPeople(resultPath: resultPath, settings: settings.render).check(folder)
        }
        if let rendering = try settings.rendering?.withCovers(beside: resultPath) {
            let summary = try await Renderer(options: rendering, observer: observer).run(
                resultPath: folder, name: name, replaces: false, isNew: true)
            outcome = [summary.hidden, summary.visibility?.words, summary.visibility?.reasons].compactMap { $0 }
        }
        if settings.report.page {
            let page = try await page(settings).run(resultPath: folder, replaces: false)
            if let notice = page.notice { observer.warned(name, message: notice) }
        }
        return outcome
    }

    func page(_ settings: Settings) -> Report {
        var options = Report.Options()
        options.hasThumbnails = settings.report.thumbnails
        options.limits = settings.sample.limits
        return Report(options: options)
    }
}

/// The people and faces of an earlier result, by whose numbers a run keeps people visible.
///
/// Numbers depend on the video, the settings and the models. A run may use earlier ones only if it finds the same
/// tracks and gives them the same numbers; otherwise it could show somebody else.
struct EarlierPeople {
    /// Must be equal in both runs.
    private static let columns = ["face_id", "person_id", "person_confidence", "first_time", "last_time", "samples"]

    private let resultPath: String
    private let rows: [[String]]

    init(resultPath: String, settings: Settings.Render) throws(VidscanError) {
        self.resultPath = resultPath
        let method = settings.anonymize?.rawValue ?? "blur"
        let name = FilePath.name(of: resultPath)
        guard FileManager.default.fileExists(atPath: resultPath + "/tracks.csv") else {
            let isThere = FileManager.default.fileExists(atPath: resultPath)
            throw .result(
                "people are chosen by the person_ids of an earlier result, but"
                    + " \(isThere ? "\(name) has no tracks.csv" : "there is no \(name)"); first run 'vidscan analyze"
                    + " VIDEO --anonymize \(method) --report\(isThere ? " --force" : "")' and 'vidscan report \(name)"
                    + " --thumbnails --force', see who is who, and repeat this command with --force")
        }
        do throws(VidscanError) {
            let result = try StoredResult(path: resultPath)
            let found = try result.analysed()
            if let options = settings.options()?.anonymize { try AnonymizePreconditions.check(found, for: options) }
            _ = try ChosenFaces(settings.visible, in: FaceTables(hiding: result))
            rows = try Self.rows(of: resultPath)
            try require(
                Self.rows(of: found.name) == rows, .result,
                "has corrections, and a new analysis numbers people and faces without them; use 'vidscan render"
                    + " \(name)' with the same options")
        } catch { throw VidscanError(error.code, "the earlier result \(name) \(error.reason)", stage: .open) }
    }

    /// Throws if this run's unfinished result in the folder numbers people and faces differently.
    func check(_ folder: String) throws(VidscanError) {
        guard try Self.rows(of: folder) != rows else { return }
        throw VidscanError(
            .result,
            "this run numbers people differently from the earlier result \(FilePath.name(of: resultPath)), so that"
                + " somebody else might stay visible; it was made with other settings, by another version, or on another"
                + " kind of processor: analyse the video again with --anonymize and --report, and choose again",
            stage: .render)
    }

    private static func rows(of folder: String) throws(VidscanError) -> [[String]] {
        let table = try TableReader(folder: folder, name: "tracks.csv")
        let places = try columns.map(table.column)
        var rows: [[String]] = []
        while try table.next() {
            rows.append(places.map { table.text($0) ?? "" })
            try table.require(rows.count <= ReadLimits.tracks, "is one of more than \(ReadLimits.tracks) faces")
        }
        return rows
    }
}
