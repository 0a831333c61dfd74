internal import VidscanBase
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
            guard tracks.count < ReadLimits.tracks else {
                throw table.problem("is one of more than \(ReadLimits.tracks) tracks")
            }
            guard let personID = try table.optionalInteger(person, in: ReadLimits.ids) else {
                throw .result("tracks.csv has a blank person_id: an early version wrote it; analyse the video again")
            }
            let track = StudyTrack(
                faceID: try table.integer(face, in: ReadLimits.ids), personID: personID,
                firstMicroseconds: try table.microseconds(first), lastMicroseconds: try table.microseconds(last),
                secondsVisible: try table.number(visible, in: ReadLimits.durations),
                bestMicroseconds: try table.microseconds(best), bestFrame: Int64(try table.count(frame)),
                box: try box.numbers(in: table).box)
            guard track.firstMicroseconds <= track.lastMicroseconds else {
                throw table.problem("last_time is before first_time")
            }
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
