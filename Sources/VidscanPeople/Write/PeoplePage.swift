internal import Foundation
internal import VidscanBase
internal import VidscanMedia
internal import VidscanReport
internal import VidscanResults

/// The page of a study: the decisions to check, and a card for each person.
struct PeoplePage {
    static let file = ReportIndex.peopleFile
    private static let maximumPairs = 60
    /// Browsers show this many cards without delay.
    private static let maximumCards = 2000
    /// Videos on a card.
    private static let maximumFaces = 24
    /// A picture needs a seek in its video, and takes 8 KB of the page.
    private static let maximumPictures = 400

    let study: StudyPeople
    let tables: StudyTables
    let doubts: [StudyConfidence.Doubt]
    let hasThumbnails: Bool?
    let cancellation: CancellationFlag

    /// Of a picture.
    private struct Key: Hashable {
        let video: PathBytes
        let faceID: Int

        init(_ row: PersonRow) { (video, faceID) = (PathBytes(row.video), row.best.faceID) }
    }

    func write(to folder: StudyFolder) throws(VidscanError) -> Int {
        let byPerson = Dictionary(grouping: tables.rows, by: \.studyPersonID)
        let seconds = byPerson.mapValues { $0.reduce(0) { $0 + $1.seconds } }
        let order = byPerson.keys.sorted { (seconds[$1] ?? 0, $0) < (seconds[$0] ?? 0, $1) }
        let pairs = doubts.prefix(Self.maximumPairs).compactMap { pair(of: $0) }
        let longest = byPerson.mapValues { rows in
            Array(rows.sorted { ($1.seconds, $0.video) < ($0.seconds, $1.video) }.prefix(Self.maximumFaces))
        }
        let cards = order.prefix(Self.maximumCards)
        // The pairs first, then a picture of everybody, then the others.
        var wanted = pairs.flatMap(\.rows)
        for depth in 0..<Self.maximumFaces {
            wanted += cards.compactMap { id in longest[id].flatMap { $0.indices.contains(depth) ? $0[depth] : nil } }
        }
        let pictures = try pictures(of: wanted)
        let results = Dictionary(uniqueKeysWithValues: study.videos.map { (PathBytes($0.inputPath), $0.resultPath) })
        func face(_ row: PersonRow, isNamed: Bool) -> PageFace {
            let report = results[PathBytes(row.video)].map { $0 + "/report.html" }
            let link = report.flatMap { path in
                // Opens the report at the clearest picture of the face.
                FileManager.default.fileExists(atPath: path)
                    ? FilePath.relative(path, to: folder.path)
                        + "#t=\(TimeText.seconds(row.best.bestMicroseconds))&face=\(row.best.faceID)&from="
                        + FilePath.relative(folder.path(of: Self.file), to: FilePath.folder(of: path)) : nil
            }
            let ids = row.tracks.map { String($0.faceID) }
            let tracks = (ids.count == 1 ? "face " : "faces ") + ids.joined(separator: ", ")
            return PageFace(
                thumbnail: pictures.urls[Key(row)], label: Self.title(row), name: isNamed ? Self.title(row) : nil,
                video: Printable.line(FilePath.name(of: row.video)), path: Printable.line(row.video), link: link,
                details: [
                    "\(Self.seconds(row.seconds)) s from \(TimeText.clock(row.firstMicroseconds)), \(tracks);"
                        + " \(Int((100 * row.confidence).rounded())) % certain"
                ])
        }

        var notices = pictures.notices
        if order.count > cards.count {
            notices.append(
                "This page shows the \(cards.count) of \(order.count) people who are visible longest; people.csv lists all."
            )
        }
        let content: [String: Any] = [
            "head": PageHead(
                .people, title: "People",
                summary: "\(NumberText.people(byPerson.count)) in \(NumberText.count(study.videos.count, "video"))",
                notices: notices),
            "pairs": pairs.map { pair -> [String: Any] in
                [
                    "faces": pair.rows.map { face($0, isNamed: true) }, "decision": pair.decision,
                    "correction": pair.correction.json.encoded(),
                ]
            },
            "cards": cards.map { id -> [String: Any] in
                let (rows, shown) = (byPerson[id] ?? [], longest[id] ?? [])
                let leftOut =
                    "The \(shown.count) of \(rows.count) videos in which this person is visible longest; people.csv lists all."
                return [
                    "id": id, "title": rows.first.map(Self.title) ?? "", "name": rows.first?.name ?? "",
                    "detail": "\(Self.seconds(seconds[id] ?? 0)) s in \(NumberText.count(rows.count, "video"))"
                        + (rows.first?.name == nil ? "" : ", person \(id)"),
                    "faces": shown.map { face($0, isNamed: false) },
                    "leftOut": rows.count > shown.count ? [leftOut] : [],
                ]
            },
        ]
        let path = folder.path(of: Self.file)
        try AtomicFile.write(PageTemplate.people.render(content, for: path), to: path)
        return doubts.count
    }

    /// The correction is for the case that the decision is wrong.
    private func pair(
        of doubt: StudyConfidence.Doubt
    ) -> (rows: [PersonRow], decision: String, correction: StudyCorrection)? {
        guard let one = row(of: doubt.one), let other = row(of: doubt.other) else { return nil }
        let percent = "\(Int((100 * doubt.confidence).rounded())) % certain"
        guard one.studyPersonID == other.studyPersonID else {
            let ids = [one.studyPersonID, other.studyPersonID].sorted()
            return ([one, other], "Two people (\(percent))", StudyCorrection.samePerson(ids))
        }
        // The video of the second one, unless it shows the person's number elsewhere too.
        let person = study.people[doubt.other]
        let isOnly = study.people.count { $0.video == person.video && $0.studyID == person.studyID } == 1
        let (tracks, name) = (isOnly ? [] : person.faceIDs, FilePath.name(of: other.video))
        let isUnique = study.videos.count { $0.name == name } == 1
        let split = StudyCorrection.split(other.studyPersonID, tracks: tracks, video: isUnique ? name : other.video)
        return ([one, other], "One person (\(percent))", split)
    }

    /// Only this person's tracks: the number may have others in the same video.
    private func row(of person: Int) -> PersonRow? {
        let person = study.people[person]
        let video = study.videos[person.video].inputPath
        return tables.rows.first { $0.studyPersonID == person.studyID && PathBytes($0.video) == PathBytes(video) }.map {
            PersonRow(
                studyPersonID: $0.studyPersonID, name: $0.name, video: video, personIDs: [person.personID],
                tracks: person.tracks, best: person.best, confidence: $0.confidence)
        }
    }

    /// Makes the pictures of the first rows, as many as there may be.
    private func pictures(of rows: [PersonRow]) throws(VidscanError) -> (urls: [Key: String], notices: [String]) {
        guard hasThumbnails != false else { return ([:], []) }
        var wanted: [PathBytes: [PersonRow]] = [:]
        var seen: Set<Key> = []
        for row in rows where seen.count < Self.maximumPictures {
            if seen.insert(Key(row)).inserted { wanted[PathBytes(row.video), default: []].append(row) }
        }
        var urls: [Key: String] = [:]
        var (missing, hidden): ([String], Int) = ([], 0)
        for video in study.videos {
            guard let rows = wanted[PathBytes(video.inputPath)] else { continue }
            guard hasThumbnails == true || !video.hidesFaces else {
                hidden += 1
                continue
            }
            try cancellation.check()
            do throws(VidscanError) {
                let result = try StoredResult(path: video.resultPath)
                let source = try result.source(override: nil, acceptsChanges: false)
                let moments = rows.map { FaceMoment($0.best.faceID, $0.best.bestMicroseconds, $0.best.box) }
                let pictures = try FacePictures.make(
                    moments, of: result, from: source, limits: MediaLimits(), cancellation: cancellation)
                for row in rows { urls[Key(row)] = pictures[row.best.faceID] }
            } catch {
                if error.code == .interrupted || error.code == .media(.cancelled) { throw error }
                missing.append("\(video.name): \(error.reason)")
            }
        }
        let reasons = [
            (missing.count, "the file could not be read (\(missing.first ?? ""))"),
            (hidden, "they are hidden in a copy; --thumbnails shows them"),
        ]
        let notices = reasons.filter { $0.0 > 0 }.map { count, reason in
            "The faces of \(NumberText.count(count, "video")) are not shown, because \(reason)."
        }
        return (urls, notices)
    }

    private static func title(_ row: PersonRow) -> String { row.name ?? "Person \(row.studyPersonID)" }
    private static func seconds(_ value: Double) -> String { String(format: "%.1f", value) }
}
