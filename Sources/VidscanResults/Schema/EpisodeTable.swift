internal import VidscanBase
package import VidscanFaces

/// `episodes.csv`: one row per interval, in order of its start.
public enum EpisodeTable: ResultTable {
    package static let file = "episodes.csv"

    private static let measures = Episode.Kind.allCases.compactMap { kind in
        kind.measure.map { "\(kind.rawValue): \($0)" }
    }.joined(separator: "; ")

    package static let definitions: [ColumnDefinition<Episode>] = [
        .number("episode", from: 1, "The number of the row, to which episode in events.csv refers.") { $0.id },
        Definition(
            "kind", range: Episode.Kind.allCases.map(\.rawValue).joined(separator: ", "), "What can be seen.",
            values: Episode.Kind.allCases.map { Column.Value(name: $0.rawValue, meaning: $0.meaning) }
        ) { .text($0.kind.rawValue) },
        .number("person_id", from: 1, "As in faces.csv; blank for a kind that concerns nobody.") { $0.personID },
        .number("face_id", from: 1, "As in faces.csv; blank for a kind that concerns no face.") { $0.faceID },
        .time("start", "When it begins, on the clock of faces.csv.") { $0.startMicroseconds },
        .time(
            "end",
            "When it ends: at the sample that shows that it is over, or else at its last sample. visible: the last sample that"
                + " shows the face. shot: the first sample of the next shot; for the last shot its last sample."
        ) { $0.endMicroseconds },
        Definition(
            "start_seen", range: "0 or 1",
            "1 if samples show how it began. 0 if its first sample is the first of the video, follows a jump of the timestamps or"
                + " a stretch that a correction excludes, or is the first one after a gap in its measure: it may have begun"
                + " earlier. So a shot has 0 at the start of the analysed part, and 1 at a cut."
        ) { .integer($0.isStartSeen ? 1 : 0) },
        Definition(
            "end_seen", range: "0 or 1",
            "1 if samples show how it ended; otherwise 0: it may have lasted longer. As for start_seen."
        ) { .integer($0.isEndSeen ? 1 : 0) },
        Definition(
            "peak", range: "depends on kind", decimals: 2,
            "The highest value of the kind's measure. \(measures). Blank for other kinds."
        ) { $0.peak },
        Definition("peak_time", unit: "s", range: "any", "When the peak is reached first.") {
            $0.peakMicroseconds.map { .microseconds($0) } ?? .missing
        },
        Definition(
            "mean", range: "depends on kind", decimals: 2,
            "The mean of the measure over the samples that know it, without the sample that ends the episode."
        ) { $0.mean },
        .seconds(
            "measured_seconds",
            "The seconds for which these samples stand: each for the time since the sample before it, as in tracks.csv. visible:"
                + " the samples that show the face. shot: all samples."
        ) { $0.measuredSeconds },
        Definition(
            "with", range: "numbers with spaces",
            "The person_ids of others who take part; blank for a kind of one person."
        ) { episode in
            episode.otherPersonIDs.isEmpty
                ? .missing : .text(episode.otherPersonIDs.map(String.init).joined(separator: " "))
        },
    ]
}
