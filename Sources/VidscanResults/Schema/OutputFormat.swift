/// A file format for face rows.
public enum OutputFormat: String, Sendable, CaseIterable {
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
    package var needsMeshes: Bool { self == .openface || self == .pyfeat }

    /// What the format's file has that vidscan does not measure, in words; `nil` if there is nothing to say.
    package var notice: String? {
        switch self {
        case .csv, .json, .jsonl: nil
        case .openface: OpenFaceTable.notice
        case .pyfeat: PyFeatTable.notice
        }
    }
}
