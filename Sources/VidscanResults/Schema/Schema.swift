internal import VidscanBase
internal import VidscanFaces

/// The tables that vidscan writes, and the meaning of their columns.
package enum Schema {
    /// A file of a result or of a study. The columns of arrays and of other programs' tables are not listed.
    package struct Table: Sendable {
        package let file, meaning: String
        package let columns: [Column]

        init(_ file: String, _ columns: [Column], _ meaning: String) {
            (self.file, self.columns, self.meaning) = (file, columns, meaning)
        }

        /// `events.csv` and `events`
        fileprivate var names: [String] { [file, String(file.prefix { $0 != "." })] }

        var explanation: String {
            let legend = Metric.legend(for: columns.map(\.meaning))
            return meaning + (columns.isEmpty ? "" : " A missing value is blank.")
                + (legend.isEmpty ? "" : " " + legend)
        }
    }

    package static let tables = [
        Table("faces.csv", FaceTable.columns, "One row per face and sampled frame, in time order."),
        Table(
            "frames.csv", FrameTable.columns,
            "One row per sampled frame, so that \"no face\" differs from \"not sampled\", and from \"too dark, blurred"
                + " or damaged\"."),
        Table(
            "tracks.csv", TrackTable.columns,
            "One row per face_id: when it is visible, and a summary of its measurements."),
        Table(
            "events.csv", EventTable.columns,
            "One row per event, in time order. Events of eyes and smiles are missing only with --metrics none; blinks"
                + " need at least \(NumberText.plain(EventOptions().blinkMinimumRate)) samples per second, unless a"
                + " pipeline changes that."),
        Table(
            EpisodeTable.file, EpisodeTable.columns,
            "One row per interval, in order of start, kind, person_id and face_id: what the events begin and end, under"
                + " one number. Metrics and sampling rates matter as for events.csv."),
        Table(
            QualityTable.file, QualityTable.columns,
            "One row per person: how much of the time an expression was measured, and why the rest is blank. The seconds of"
                + " the reasons and measured_seconds add up to seconds_visible."),
        Table(
            ResultFiles.dyads, DyadTable.columns,
            "Of 'vidscan interact': one row per pair of people and measure. docs/interaction.md defines the measures."),
        Table(
            // The model defines the columns of the scores.
            "blendshapes.csv", Array(FaceTable.columns.prefix(3)),
            "With --blendshapes: one row per face with measured expressions, and one column for each of the 52"
                + " ARKit-style scores, 0 to 1, under its usual name."),
        Table(
            "landmarks.npy", [],
            "With --landmarks: float32 of shape (rows of faces.csv, 478, 3): x and y in pixels of the upright"
                + " frame, z in the same unit, smaller is nearer. Indices are MediaPipe's. Faces without a mesh are NaN."
                + " The points are not smoothed."),
        Table(
            ForeignTable.openFace.file, [],
            "With --format openface: the \(ForeignTable.openFace.names.count) columns that FeatureExtraction of OpenFace 2.2"
                + " writes, in its order, units and coordinates: a row per face and sampled frame, and one for a frame"
                + " without a face. Points are not smoothed. docs/formats.md compares each column."),
        Table(
            ForeignTable.pyFeat.file, [],
            "With --format pyfeat: the columns that the detector of Py-Feat 2 writes, except for its face"
                + " embeddings: a row per face and sampled frame, and one for a frame without a face. Points are not"
                + " smoothed. docs/formats.md compares each column."),
        Table(
            EmbeddingFile.name, [],
            "With --people: records with the fields person_id and face_id (int32), time (float64, as in"
                + " faces.csv), weight (float32: how well the face can be seen, from 0 up) and embedding (float32,"
                + " \(FaceEmbedding.length) numbers), for up to five samples of each track, in the order of person_id,"
                + " face_id and time. Biometric data."),
        Table(
            PeopleTable.file, PeopleTable.columns,
            "Of 'vidscan people': one row per person and video, over many results. With --tables,"
                + " people_tracks.csv and people_faces.csv have the rows of all tracks.csv and faces.csv after the"
                + " columns video and study_person_id."),
    ]

    /// Returns the tables that are named by their file, and of others the named columns. `names` may be columns, words
    /// in them such as `look_away`, groups of metrics, and files with or without extension. Throws the first unknown.
    package static func tables(explaining names: [String]) throws(UnknownColumn) -> [Table] {
        let groups = Metric.Group.allCases.map(\.rawValue)
        let columns = tables.flatMap(\.columns)
        let known = tables.map(\.file) + groups + columns.map(\.name) + columns.flatMap { $0.values.map(\.name) }
        for name in names where !known.contains(name) && !tables.contains(where: { $0.names.contains(name) }) {
            var distinct: [String] = []
            for other in known where !distinct.contains(other) { distinct.append(other) }
            throw UnknownColumn(name: name, nearest: Array(NearestName.sorted(distinct, by: name).prefix(5)))
        }
        let metrics = Metric.allCases.filter { names.contains($0.group.rawValue) }.map(\.rawValue)
        return tables.compactMap { table in
            if table.names.contains(where: names.contains) { return table }
            let columns = table.columns.compactMap { column -> Column? in
                if names.contains(column.name) || metrics.contains(column.name) { return column }
                var column = column
                column.values.removeAll { !names.contains($0.name) }
                return column.values.isEmpty ? nil : column
            }
            return columns.isEmpty ? nil : Table(table.file, columns, table.meaning)
        }
    }

    package static func text(_ tables: [Table] = tables) -> String {
        tables.map { table in
            let width = table.columns.map(\.name.count).max() ?? 0
            let lines = table.columns.flatMap { column in
                let name = column.name + String(repeating: " ", count: width - column.name.count)
                return ["  \(name)  \(column.meaning) [\(facts(column))]"]
                    + column.values.map { "    \($0.name): \($0.meaning)" }
            }
            return (["\(table.file): \(table.explanation)"] + lines).joined(separator: "\n") + "\n"
        }.joined(separator: "\n")
    }

    package static func markdown(_ tables: [Table] = tables) -> String {
        tables.map { table in
            let rows = table.columns.map {
                "| `\($0.name)` | \($0.unit) | \($0.range) | \($0.status?.rawValue ?? "") | \($0.meaning) |"
            }
            let values = table.columns.filter { !$0.values.isEmpty }.flatMap { column in
                ["", "| value of `\(column.name)` | meaning |", "|---|---|"]
                    + column.values.map { "| \($0.name) | \($0.meaning) |" }
            }
            let head = ["## \(table.file)", "", table.explanation, "", "| column | unit | range | status | meaning |"]
            return (head + ["|---|---|---|---|---|"] + rows + values).joined(separator: "\n") + "\n"
        }.joined(separator: "\n")
    }

    /// The tables as a JSON array, with their columns.
    package static func json(_ tables: [Table] = tables) -> String {
        let objects = tables.map { table in
            let columns = table.columns.map { column in
                let values = column.values.map { json(["name", "meaning"], [$0.name, $0.meaning]) }
                let object = json(
                    ["name", "unit", "range", "status", "meaning"],
                    [column.name, column.unit, column.range, column.status?.rawValue ?? "", column.meaning])
                return "\n  "
                    + (values.isEmpty ? object : "\(object.dropLast()),\"values\":[\(values.joined(separator: ","))]}")
            }
            let facts = json(["file", "meaning"], [table.file, table.meaning]).dropLast()
            return "\n\(facts),\"columns\":[\(columns.joined(separator: ","))\n]}"
        }
        return "[\(objects.joined(separator: ","))\n]\n"
    }

    private static func json(_ names: [String], _ values: [String]) -> String {
        var writer = ByteWriter(reservingCapacity: 512)
        writer.writeJSON(names: names, row: values.map(Field.text))
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private static func facts(_ column: Column) -> String {
        var facts = column.unit.isEmpty ? [column.range] : [column.unit, column.range]
        if let status = column.status, status != .validated { facts.append(status.rawValue) }
        return facts.joined(separator: ", ")
    }
}

/// A name that is neither a column nor a file.
package struct UnknownColumn: Error, CustomStringConvertible {
    package let name: String
    package let nearest: [String]

    package var description: String {
        "there is no column or file '\(name)'; the nearest are \(nearest.joined(separator: ", "))"
    }
}
