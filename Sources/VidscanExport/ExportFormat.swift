internal import VidscanResults

/// A file format of another program's annotations.
public enum ExportFormat: String, Sendable, CaseIterable {
    /// ELAN, EAF 3.0.
    case elan
    /// WebVTT: captions, and a metadata track with boxes.
    case vtt
    /// Praat.
    case textgrid
    /// A table of events as the Brain Imaging Data Structure defines it, with its description.
    case bids
    /// Rich Transcription Time Marked.
    case rttm
    /// A table with the columns of OpenFace, which has the name that OpenFace gives it in a folder that the user names.
    case openface
    /// A table with the columns of Py-Feat.
    case pyfeat

    /// The ends of the file names, after the video's name without its extension. The first file is the one that
    /// `--output` names.
    var endings: [String] {
        switch self {
        case .elan: [".eaf"]
        case .vtt: [".vtt", ".metadata.vtt"]
        case .textgrid: [".TextGrid"]
        case .bids: ["_events.tsv", "_events.json"]
        case .rttm: [".rttm"]
        case .openface: [".openface.csv"]
        case .pyfeat: [".pyfeat.csv"]
        }
    }

    /// The format of an analysis that makes the same file; `nil` for annotations.
    var table: OutputFormat? { OutputFormat(rawValue: rawValue) }
}
