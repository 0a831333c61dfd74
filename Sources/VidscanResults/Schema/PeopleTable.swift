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
            "study_person_id", from: 1,
            "The same number for everybody who seems to be the same person in any of the videos. It stays the same when"
                + " videos are added."
        ) { $0.studyPersonID },
        Definition("name", range: "any text", "The pseudonym that a correction gave; blank without one.") {
            $0.name.map(Field.text) ?? .missing
        },
        Definition("video", range: "a path", "The video, as run.json of its result names it.") { .text($0.video) },
        Definition(
            "person_ids", range: "numbers with spaces",
            "The person_id in the result. There are several if the study joins people of one video."
        ) { .text(list($0.personIDs)) },
        Definition("face_ids", range: "numbers with spaces", "The face_ids in the result: the rows of tracks.csv.") {
            .text(list($0.faceIDs))
        },
        .seconds("seconds", "The sum of seconds_visible of these face_ids.") { $0.seconds },
        .time("first_time", "When the person is first visible.") { $0.firstMicroseconds },
        .time("last_time", "When the person is last visible.") { $0.lastMicroseconds },
        .fraction(
            "confidence",
            "How certain it is that this is the person of the other rows and nobody else, or, for a single row, that"
                + " nobody else in the study is this person: 0.5 if it could as well be otherwise, below 0.4 if the face"
                + " could not be compared, and 1 if a correction decided it."
        ) { $0.confidence },
        .time("best_time", "When the person is shown best: the time for a thumbnail.") { $0.bestMicroseconds },
        .number("best_frame", from: 0, "The frame of best_time, counted as in faces.csv.") { Int($0.bestFrame) },
    ]

    private static func list(_ numbers: [Int]) -> String { numbers.map(String.init).joined(separator: " ") }
}
