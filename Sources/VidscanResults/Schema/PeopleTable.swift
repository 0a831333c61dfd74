internal import VidscanBase

/// A row of `people.csv`: a person of a study in one video.
package struct PersonRow: Sendable {
    package var studyPersonID: Int
    /// A pseudonym that the user gave.
    package var name: String?
    package var video: String
    package var personIDs, faceIDs: [Int]
    package var seconds: Double
    package var firstMicroseconds, lastMicroseconds: Int64
    package var confidence: Double
    package var bestMicroseconds, bestFrame: Int64

    package init(
        studyPersonID: Int, name: String?, video: String, personIDs: [Int], faceIDs: [Int], seconds: Double,
        firstMicroseconds: Int64, lastMicroseconds: Int64, confidence: Double, bestMicroseconds: Int64, bestFrame: Int64
    ) {
        (self.studyPersonID, self.name, self.confidence) = (studyPersonID, name, confidence)
        (self.video, self.personIDs, self.faceIDs, self.seconds) = (video, personIDs, faceIDs, seconds)
        (self.firstMicroseconds, self.lastMicroseconds) = (firstMicroseconds, lastMicroseconds)
        (self.bestMicroseconds, self.bestFrame) = (bestMicroseconds, bestFrame)
    }
}

/// `people.csv`: one row per person and video, in the order of `study_person_id` and `video`.
public enum PeopleTable: ResultTable {
    public static let file = "people.csv"
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
        .list("face_ids", \.faceIDs, "The face_ids in the result: the rows of tracks.csv."),
        .seconds("seconds", \.seconds, "The sum of seconds_visible of these face_ids."),
        .time("first_time", \.firstMicroseconds, "When the person is first visible."),
        .time("last_time", \.lastMicroseconds, "When the person is last visible."),
        .fraction(
            "confidence", \.confidence,
            "How certain it is that this is the person of the other rows and nobody else, or, for a single row, that"
                + " nobody else in the study is this person: 0.5 if it could as well be otherwise, below 0.4 if the face"
                + " could not be compared, and 1 if a correction decided it."),
        .time("best_time", \.bestMicroseconds, "When the person is shown best: the time for a thumbnail."),
        .number("best_frame", from: 0, { Int($0.bestFrame) }, "The frame of best_time, counted as in faces.csv."),
    ]
}
