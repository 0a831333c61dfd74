internal import VidscanBase
internal import VidscanFaces

/// A table of events and its description, as the Brain Imaging Data Structure defines them ("Events", version 1.10): the
/// first columns are `onset` and `duration` in seconds, and a value that is not available is `n/a`.
enum BIDSEvents {
    private struct Column {
        let name, description: String
        let units: String?
        let levels: [(String, String)]
        let value: @Sendable (Annotation) -> String?

        init(
            _ name: String, _ description: String, units: String? = nil, levels: [(String, String)] = [],
            value: @escaping @Sendable (Annotation) -> String?
        ) {
            (self.name, self.description, self.units) = (name, description, units)
            (self.levels, self.value) = (levels, value)
        }
    }

    static func table(_ annotations: [Annotation]) -> String {
        let rows = annotations.map { annotation in columns.map { $0.value(annotation) ?? "n/a" } }
        return ([columns.map(\.name)] + rows).map { $0.joined(separator: "\t") + "\n" }.joined()
    }

    static func description() -> String {
        let members = columns.map { column in
            var facts = [("Description", ByteWriter.quoted(column.description))]
            if let units = column.units { facts.append(("Units", ByteWriter.quoted(units))) }
            if !column.levels.isEmpty {
                facts.append(("Levels", object(column.levels.map { ($0, ByteWriter.quoted($1)) }, indent: "    ")))
            }
            return (column.name, object(facts, indent: "  "))
        }
        return object(members, indent: "") + "\n"
    }

    /// The keys keep this order; the values are JSON.
    private static func object(_ members: [(key: String, value: String)], indent: String) -> String {
        let lines = members.map { "\n\(indent)  \(ByteWriter.quoted($0.key)): \($0.value)" }
        return "{\(lines.joined(separator: ","))\n\(indent)}"
    }

    private static let columns = [
        Column("onset", "When it begins, in seconds from the start of the video file.", units: "s") {
            ClockText.seconds($0.begin)
        },
        Column("duration", "How long it lasts.", units: "s") { $0.durationText },
        Column("trial_type", "The kind of event.", levels: Episode.Kind.allCases.map { ($0.rawValue, $0.meaning) }) {
            $0.kind.rawValue
        },
        Column("person_id", "The person, as in tracks.csv of the vidscan result.") {
            $0.episode.personID.map(String.init)
        },
        Column("person", "The name that the person was given in corrections of the result.") { $0.personName },
        Column("face_id", "The face, as in tracks.csv of the vidscan result.") { $0.episode.faceID.map(String.init) },
        Column(
            "value", "For a shot how it begins, for a face how it ends, for a smile its value at the onset (0 to 100)."
        ) { $0.value },
        Column("measured", "The fraction of it that was measured, as in events.csv of the vidscan result.") {
            $0.measured
        },
        Column("start_seen", "Whether it was seen to begin; if not, it may have begun earlier.", levels: seen) {
            $0.episode.isStartSeen ? "1" : "0"
        },
        Column("end_seen", "Whether it was seen to end; if not, it may have lasted longer.", levels: seen) {
            $0.episode.isEndSeen ? "1" : "0"
        },
        Column(
            "peak",
            "The highest value of the smile, the closure of the eyes, or how likely somebody speaks (0 to 100), or of the head's turn in degrees."
        ) { number($0.episode.peak) },
        Column("mean", "The mean of the same value; of nods and shakes, that of the head's turns in degrees.") {
            number($0.episode.mean)
        },
        Column("with", "The ids of the other people who take part.") { annotation in
            let others = annotation.episode.otherPersonIDs
            return others.isEmpty ? nil : others.map(String.init).joined(separator: " ")
        },
    ]

    private static let seen = [("0", "no"), ("1", "yes")]

    private static func number(_ value: Double?) -> String? { value.map { NumberText.fixed($0, decimals: 2) } }
}
