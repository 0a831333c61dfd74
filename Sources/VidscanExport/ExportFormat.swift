internal import VidscanBase

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

    /// What the names of the files end in, after the video's name without its extension. The first file is the one that
    /// `--output` names.
    var endings: [String] {
        switch self {
        case .elan: [".eaf"]
        case .vtt: [".vtt", ".metadata.vtt"]
        case .textgrid: [".TextGrid"]
        case .bids: ["_events.tsv", "_events.json"]
        case .rttm: [".rttm"]
        }
    }

    /// What replaces the extension of the file that `--output` names, to name the format's second file.
    var secondExtension: String? {
        switch self {
        case .vtt: ".metadata.vtt"
        case .bids: ".json"
        case .elan, .textgrid, .rttm: nil
        }
    }
}
