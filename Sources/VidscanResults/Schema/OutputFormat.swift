/// A file format for face rows.
public enum OutputFormat: String, Sendable, CaseIterable, Codable {
    /// `faces.csv`, `frames.csv`, `tracks.csv` and `events.csv`.
    case csv
    /// `faces.json`, one document.
    case json
    /// `faces.jsonl`, one object per line.
    case jsonl
    /// `openface.csv`, with OpenFace's columns.
    case openface
    /// `pyfeat.csv`, with Py-Feat's columns.
    case pyfeat

    /// Whether the format needs the mesh and the expressions of every face.
    package var needsMeshes: Bool { foreignTable != nil }

    package var foreignTable: ForeignTable? {
        switch self {
        case .csv, .json, .jsonl: nil
        case .openface: .openFace
        case .pyfeat: .pyFeat
        }
    }

    /// The columns that vidscan does not measure; `nil` if it measures all.
    package var notice: String? { foreignTable?.notice }
}
