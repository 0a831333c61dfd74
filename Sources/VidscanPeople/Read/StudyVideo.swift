internal import Glibc
internal import VidscanBase
internal import VidscanFaces
internal import VidscanMedia
internal import VidscanResults

/// A result that takes part in a study, without its embeddings.
struct StudyVideo: Sendable {
    /// Absolute.
    let resultPath: String
    /// The path by which a study knows the video.
    let inputPath: String
    /// Identifies the tracks: it differs after another analysis, unless that found the same tracks and people.
    let fingerprint: String
    /// Whether a video in which faces are hidden was made from the result.
    let hidesFaces: Bool
    /// From corrections of the result, by person_id.
    let pseudonyms: [Int: String]
    /// By ascending `face_id`.
    let tracks: [StudyTrack]
    private let trackOfFace: [Int: StudyTrack]

    var name: String { FilePath.name(of: inputPath) }

    init(path: String) throws(VidscanError) {
        do throws(VidscanError) {
            let result = try StoredResult(path: path)
            resultPath = path
            inputPath = result.record.input.path
            hidesFaces = result.hidesFaces
            pseudonyms = result.record.corrections?.people ?? [:]
            tracks = try StudyTrack.read(path)
            trackOfFace = Dictionary(uniqueKeysWithValues: tracks.map { ($0.faceID, $0) })
        } catch { throw error.naming(path) }
        let facts = tracks.map { "\($0.faceID) \($0.personID) \($0.firstMicroseconds) \($0.lastMicroseconds)\n" }
        fingerprint = String(FileDigest.sha256(text: facts.joined()).prefix(16))
    }

    func track(_ faceID: Int) -> StudyTrack? { trackOfFace[faceID] }
}

/// The columns of `tracks.csv` that a study needs.
struct StudyTrack: Sendable {
    var faceID: Int
    var personID: Int
    var firstMicroseconds: Int64
    var lastMicroseconds: Int64
    var secondsVisible: Double
    var bestMicroseconds: Int64
    var bestFrame: Int64
    /// Mean box, in pixels of the upright frame.
    var box: Rectangle
    /// From the first to the last sample of each appearance, in order and in microseconds.
    var appearances: [ClosedRange<Int64>] = []

    static func read(_ folder: String) throws(VidscanError) -> [StudyTrack] {
        let table = try TableReader(folder: folder, name: "tracks.csv")
        let (face, person) = (try table.column("face_id"), try table.column("person_id"))
        let (first, last) = (try table.column("first_time"), try table.column("last_time"))
        let (visible, best) = (try table.column("seconds_visible"), try table.column("best_time"))
        let frame = try table.column("best_frame")
        let box = try FaceColumns(FaceField.box, of: table)
        var tracks: [StudyTrack] = []
        while try table.next() {
            try table.require(tracks.count < ReadLimits.tracks, "is one of more than \(ReadLimits.tracks) tracks")
            guard let personID = try table.optionalInteger(person, in: ReadLimits.ids) else {
                throw .result("tracks.csv has a blank person_id: an early version wrote it; analyse the video again")
            }
            let track = StudyTrack(
                faceID: try table.integer(face, in: ReadLimits.ids), personID: personID,
                firstMicroseconds: try table.microseconds(first), lastMicroseconds: try table.microseconds(last),
                secondsVisible: try table.number(visible, in: ReadLimits.durations),
                bestMicroseconds: try table.microseconds(best), bestFrame: Int64(try table.count(frame)),
                box: try box.numbers(in: table).box)
            try table.require(track.firstMicroseconds <= track.lastMicroseconds, "last_time is before first_time")
            tracks.append(track)
        }
        tracks.sort { $0.faceID < $1.faceID }
        for (one, other) in zip(tracks, tracks.dropFirst()) where one.faceID == other.faceID {
            throw .result("tracks.csv has face_id \(one.faceID) twice; the table is damaged, analyse the video again")
        }
        try addAppearances(folder, to: &tracks)
        return tracks
    }

    /// Reads `events.csv`, because a track that continues across cuts is out of sight in between.
    private static func addAppearances(_ folder: String, to tracks: inout [StudyTrack]) throws(VidscanError) {
        let table = try TableReader(folder: folder, name: "events.csv")
        let (time, kind, face) = (try table.column("time"), try table.column("kind"), try table.column("face_id"))
        let positions = Dictionary(uniqueKeysWithValues: tracks.indices.map { (tracks[$0].faceID, $0) })
        var starts: [Int: Int64] = [:]
        while try table.next() {
            let event = table.text(kind)
            guard event == "face_started" || event == "face_stopped",
                let position = positions[try table.integer(face, in: ReadLimits.ids)]
            else { continue }
            let moment = try table.microseconds(time)
            if event == "face_started" {
                starts[position] = moment
            } else if let start = starts.removeValue(forKey: position) {
                guard start <= moment else { throw table.problem("time goes back") }
                tracks[position].appearances.append(start...moment)
            }
        }
        for index in tracks.indices where tracks[index].appearances.isEmpty {
            tracks[index].appearances = [tracks[index].firstMicroseconds...tracks[index].lastMicroseconds]
        }
    }
}

/// The tracks of a person in one video, which a study joins.
struct VideoPerson: Sendable {
    /// Index in the study.
    let video: Int
    let personID: Int
    /// In ascending order.
    let faceIDs: [Int]
    /// `nil` for a person who has none yet.
    var studyID: Int?
    let isCorrected: Bool
    /// `nil` if no track has an embedding.
    var faces: FaceCluster?
    let bestFaceID: Int

    /// The maximum number of embeddings of a person: few and good samples say more than many.
    private static let maximumSamples = 8

    private struct Key: Hashable {
        var personID: Int
        var studyID: Int?
        var isCorrected: Bool
    }

    /// Groups the tracks of a video by person, in the order of their first `face_id`, and reads their embeddings.
    /// Tracks of one `person_id` with different known numbers are different people.
    /// - Parameter known: The people whom the study knows, by `face_id`.
    static func read(
        _ video: StudyVideo, index: Int, known: [Int: StudyState.Person], needsEmbeddings: Bool
    ) throws(VidscanError) -> [VideoPerson] {
        var groups: [Key: [Int]] = [:]
        var keys: [Int: Key] = [:]
        for track in video.tracks {
            let person = known[track.faceID]
            let key = Key(
                personID: track.personID, studyID: person?.studyPersonId, isCorrected: person?.corrected ?? false)
            groups[key, default: []].append(track.faceID)
            keys[track.faceID] = key
        }
        let samples: [Key: [EmbeddingRow]]
        do throws(VidscanError) { samples = try best(of: video, keys: keys, needsEmbeddings: needsEmbeddings) } catch {
            throw error.naming(video.resultPath)
        }
        return groups.map { key, faceIDs in
            let rows = samples[key] ?? []
            let longest = faceIDs.max {
                (video.track($0)?.secondsVisible ?? 0, $1) < (video.track($1)?.secondsVisible ?? 0, $0)
            }
            return VideoPerson(
                video: index, personID: key.personID, faceIDs: faceIDs, studyID: key.studyID,
                isCorrected: key.isCorrected, faces: FaceCluster(rows.map(\.embedding), evidence: evidence(rows)),
                bestFaceID: rows.first?.faceID ?? longest ?? 0)
        }.sorted { $0.faceIDs[0] < $1.faceIDs[0] }
    }

    private static func evidence(_ rows: [EmbeddingRow]) -> Double {
        let samples = Dictionary(grouping: rows, by: \.faceID).values
        return Double(samples.reduce(0) { $0 + min($1.count, IdentityCalibration.evidenceOfTrack) })
    }

    /// The samples of each person with the highest weights, the highest first.
    private static func best(
        of video: StudyVideo, keys: [Int: Key], needsEmbeddings: Bool
    ) throws(VidscanError) -> [Key: [EmbeddingRow]] {
        guard access("\(video.resultPath)/\(EmbeddingFile.name)", F_OK) == 0 else {
            guard needsEmbeddings, !keys.isEmpty else { return [:] }
            throw .result(
                "has no \(EmbeddingFile.name), by which people are compared; analyse the video with 'vidscan analyze"
                    + " --people'")
        }
        let reader = try EmbeddingReader(folder: video.resultPath)
        var best: [Key: [EmbeddingRow]] = [:]
        while let row = try reader.next() {
            guard let key = keys[row.faceID], key.personID == row.personID else {
                throw .result(
                    "\(EmbeddingFile.name) has face_id \(row.faceID) of person_id \(row.personID), which tracks.csv"
                        + " does not have; the result is damaged, analyse the video again")
            }
            var rows = best[key] ?? []
            // Among equal weights, the first one in the file.
            let position = rows.firstIndex { $0.weight < row.weight } ?? rows.count
            guard position < maximumSamples else { continue }
            rows.insert(row, at: position)
            best[key] = Array(rows.prefix(maximumSamples))
        }
        return best
    }
}
