internal import VidscanBase

/// A row of `people.csv`: a person of a study in one video.
package struct PersonRow: Sendable {
    package let studyPersonID: Int
    /// A pseudonym that the user gave.
    package let name: String?
    package let video: String
    package let personIDs: [Int]
    /// By ascending `face_id`, at least one.
    package let tracks: [StoredTrack]
    package let best: StoredTrack
    package let confidence: Double

    package init(
        studyPersonID: Int, name: String?, video: String, personIDs: [Int], tracks: [StoredTrack], best: StoredTrack,
        confidence: Double
    ) {
        (self.studyPersonID, self.name, self.video, self.personIDs) = (studyPersonID, name, video, personIDs)
        (self.tracks, self.best, self.confidence) = (tracks, best, confidence)
    }

    package var seconds: Double { tracks.reduce(0) { $0 + $1.secondsVisible } }
    package var firstMicroseconds: Int64 { tracks.map(\.firstMicroseconds).min() ?? 0 }
}

/// `people.csv`: one row per person and video, in the order of `study_person_id` and `video`.
package enum PeopleTable: ResultTable {
    package static let file = "people.csv"
    package static let definitions: [ColumnDefinition<PersonRow>] = [
        .number(
            "study_person_id", from: 1, \.studyPersonID,
            "The same number for everybody who seems to be the same person in any of the videos. It stays the same when"
                + " videos are added."),
        Definition(
            "name", range: "any text", { $0.name.map(Field.text) ?? .missing },
            "The pseudonym that a correction gave; blank without one."),
        Definition("video", range: "a path", { .text($0.video) }, "The video, as run.json of its result names it."),
        .list(
            "person_ids", \.personIDs,
            "The person_id in the result. There are several if the study joins people of one video."),
        .list("face_ids", { $0.tracks.map(\.faceID) }, "The face_ids in the result: the rows of tracks.csv."),
        .seconds("seconds", \.seconds, "The sum of seconds_visible of these face_ids."),
        .time("first_time", \.firstMicroseconds, "When the person is first visible."),
        .time("last_time", { $0.tracks.map(\.lastMicroseconds).max() ?? 0 }, "When the person is last visible."),
        .fraction(
            "confidence", \.confidence,
            "How certain it is that this is the person of the other rows and nobody else, or, for a single row, that"
                + " nobody else in the study is this person: 0.5 if it could as well be otherwise, below 0.4 if the face"
                + " could not be compared, and 1 if a correction decided it."),
        .time("best_time", \.best.bestMicroseconds, "When the person is shown best: the time for a thumbnail."),
        .number("best_frame", from: 0, { Int($0.best.bestFrame) }, "The frame of best_time, counted as in faces.csv."),
    ]
}
