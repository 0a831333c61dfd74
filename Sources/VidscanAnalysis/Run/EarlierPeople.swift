internal import Foundation
internal import VidscanBase
internal import VidscanFaces
internal import VidscanRender
internal import VidscanResults

/// The people and faces of an earlier result, by whose numbers a run keeps people visible.
///
/// The numbers of people depend on the video, the settings and the models. A run may use those of an earlier one only if
/// it finds the same tracks and gives them the same numbers; otherwise it could show somebody else.
struct EarlierPeople {
    /// What the rows of two runs must have in common.
    private static let columns = ["face_id", "person_id", "person_confidence", "first_time", "last_time", "samples"]

    private let resultPath: String
    private let rows: [[String]]

    /// - Parameters:
    ///   - resultPath: The folder that the run replaces.
    ///   - settings: The people and faces that it names.
    /// - Throws: `VidscanError` if there is no earlier result with tables, or if it lacks somebody who is named.
    init(resultPath: String, settings: Settings.Render) throws(VidscanError) {
        self.resultPath = resultPath
        let method = settings.anonymize?.rawValue ?? "blur"
        let name = FilePath.name(of: resultPath)
        guard FileManager.default.fileExists(atPath: resultPath + "/tracks.csv") else {
            let isThere = FileManager.default.fileExists(atPath: resultPath)
            throw VidscanError(
                .result,
                "people are chosen by the person_ids of an earlier result, but"
                    + " \(isThere ? "\(name) has no tracks.csv" : "there is no \(name)"); first run 'vidscan analyze"
                    + " VIDEO --anonymize \(method) --report\(isThere ? " --force" : "")' and 'vidscan report \(name)"
                    + " --thumbnails --force', see who is who, and repeat this command with --force", stage: .open)
        }
        do throws(VidscanError) {
            let result = try StoredResult(path: resultPath)
            let found = try result.analysed()
            if let options = settings.options()?.anonymize { try AnonymizePreconditions.check(found, for: options) }
            _ = try ChosenFaces(settings.visible, in: FaceTables(hiding: result))
            rows = try Self.rows(of: resultPath)
            guard try Self.rows(of: found.name) == rows else {
                throw VidscanError(
                    .result,
                    "has corrections, and a new analysis numbers people and faces without them; use 'vidscan render"
                        + " \(name)' with the same options", stage: .open)
            }
        } catch {
            throw VidscanError(error.code, "the earlier result \(name) \(error.reason)", stage: .open)
        }
    }

    /// - Parameter folder: The folder of the unfinished result of this run.
    /// - Throws: `VidscanError` if this run numbers people and faces in another way.
    func check(_ folder: String) throws(VidscanError) {
        guard try Self.rows(of: folder) != rows else { return }
        throw VidscanError(
            .result,
            "this run numbers people differently from the earlier result \(FilePath.name(of: resultPath)), so that"
                + " somebody else might stay visible; it was made with other settings, by another version, or on another"
                + " kind of processor: analyse the video again with --anonymize and --report, and choose anew",
            stage: .render)
    }

    private static func rows(of folder: String) throws(VidscanError) -> [[String]] {
        let table = try TableReader(folder: folder, name: "tracks.csv")
        var places: [Int] = []
        for column in columns { places.append(try table.column(column)) }
        var rows: [[String]] = []
        while try table.next() {
            rows.append(places.map { table.text($0) ?? "" })
            guard rows.count <= ReadLimits.tracks else {
                throw table.problem("is one of more than \(ReadLimits.tracks) faces")
            }
        }
        return rows
    }
}
