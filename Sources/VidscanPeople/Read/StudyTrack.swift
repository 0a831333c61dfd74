internal import VidscanBase
internal import VidscanResults

/// A track of a video, as far as a study needs it: a row of `tracks.csv`.
struct StudyTrack: Sendable {
    var faceID: Int
    var personID: Int
    var firstMicroseconds: Int64
    var lastMicroseconds: Int64
    var secondsVisible: Double
    var bestMicroseconds: Int64
    var bestFrame: Int64
    /// The mean box, in pixels of the upright frame.
    var box: Rectangle
    /// When the face is visible, in order: from the first to the last sample of each appearance, in microseconds.
    var appearances: [ClosedRange<Int64>] = []
}

extension StudyTrack {
    /// Reads the tracks of a result.
    ///
    /// - Returns: The tracks, by ascending `face_id`.
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
                throw VidscanError(
                    .result, "tracks.csv has a blank person_id: an early version wrote it; analyse the video again",
                    stage: .open)
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
            throw VidscanError(
                .result, "tracks.csv has face_id \(one.faceID) twice; the table is damaged, analyse the video again",
                stage: .open)
        }
        try addAppearances(folder, to: &tracks)
        return tracks
    }

    /// Adds the times from `events.csv`, because a track that continues across cuts is out of sight in between.
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
