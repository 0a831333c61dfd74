internal import VidscanBase

/// A table of events and its description, as the Brain Imaging Data Structure defines them ("Events", version 1.10): the
/// first columns are `onset` and `duration` in seconds, and a value that is not available is `n/a`.
enum BIDSEvents {
    private struct Column {
        let name: String
        let description: String
        var units: String?
        var levels: [(String, String)] = []
        let value: @Sendable (Annotation) -> String?
    }

    static func table(_ annotations: [Annotation]) -> String {
        let rows = annotations.map { annotation in columns.map { $0.value(annotation) ?? "n/a" } }
        return ([columns.map(\.name)] + rows).map { $0.joined(separator: "\t") + "\n" }.joined()
    }

    /// Returns the description, a JSON object.
    static func description() -> String {
        var writer = ByteWriter(reservingCapacity: 4096)
        writer.write("{")
        for (index, column) in columns.enumerated() {
            writer.write(index == 0 ? "\n  " : ",\n  ")
            writer.writeJSON(text: column.name)
            writer.write(": {\n    \"Description\": ")
            writer.writeJSON(text: column.description)
            if let units = column.units {
                writer.write(",\n    \"Units\": ")
                writer.writeJSON(text: units)
            }
            if !column.levels.isEmpty {
                writer.write(",\n    \"Levels\": {")
                for (index, level) in column.levels.enumerated() {
                    writer.write(index == 0 ? "\n      " : ",\n      ")
                    writer.writeJSON(text: level.0)
                    writer.write(": ")
                    writer.writeJSON(text: level.1)
                }
                writer.write("\n    }")
            }
            writer.write("\n  }")
        }
        writer.write("\n}\n")
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private static let columns = [
        Column(
            name: "onset", description: "When it begins, in seconds from the start of the video file.", units: "s",
            value: { ClockText.seconds($0.begin) }),
        Column(
            name: "duration", description: "How long it lasts.", units: "s",
            value: { ClockText.seconds(($0.endMilliseconds - $0.beginMilliseconds) * 1000) }),
        Column(
            name: "trial_type", description: "What is seen.",
            levels: Annotation.Kind.allCases.map { ($0.rawValue, $0.meaning) },
            value: { $0.kind.rawValue }),
        Column(
            name: "person_id", description: "The person, as in tracks.csv of the vidscan result.",
            value: { $0.personID.map(String.init) }),
        Column(
            name: "face_id", description: "The face, as in tracks.csv of the vidscan result.",
            value: { $0.faceID.map(String.init) }),
        Column(
            name: "value",
            description:
                "For a shot how it begins, for a face how it ends, for a smile its value at the onset (0 to 100).",
            value: { $0.value }),
        Column(
            name: "measured",
            description: "The fraction of it that was measured, as in events.csv of the vidscan result.",
            value: { $0.measured }),
    ]
}

extension Annotation.Kind {
    fileprivate var meaning: String {
        switch self {
        case .shot: "The time between two cuts."
        case .face: "A face is in sight."
        case .smile: "The person smiles visibly."
        case .eyesClosed: "Both eyes are closed for longer than a blink."
        case .blink: "Both eyes close and open again."
        case .lookAway: "The head is turned away from the camera."
        }
    }
}
