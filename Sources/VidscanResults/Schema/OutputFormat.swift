/// A file format for face rows.
public enum OutputFormat: String, Sendable, CaseIterable {
    /// `faces.csv` and `frames.csv`.
    case csv
    /// `faces.json`, one document.
    case json
    /// `faces.jsonl`, one object per line.
    case jsonl
}
