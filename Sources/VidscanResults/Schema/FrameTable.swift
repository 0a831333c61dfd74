internal import VidscanBase
internal import VidscanFaces

/// A row of `frames.csv`.
package struct FrameRow: Sendable {
    package var frame: FrameRecord
    /// From 1.
    package var shot: Int
    /// The kept ones.
    package var faces: Int
}

/// `frames.csv`: one row per sampled frame, so that "no face" differs from "not sampled" and "nothing to be seen".
public enum FrameTable: ResultTable {
    package static let definitions: [ColumnDefinition<FrameRow>] = key + [faces] + quality
    /// The members of a frame in `faces.json`, which has the faces instead of their number.
    static let describing = key + quality

    private static let key: [Definition] = [
        .time("time", "As in faces.csv.") { $0.frame.microseconds },
        .number("frame", from: 0, "As in faces.csv.") { Int($0.frame.index) },
    ]

    private static let faces = Definition.number(
        "faces", from: 0, "The number of faces in the frame: its rows in faces.csv."
    ) { $0.faces }

    private static let quality: [Definition] = [
        Definition(
            "luma", range: "0 to 100", decimals: 2, "The mean luma of the frame: 0 is black, 100 is white."
        ) { $0.frame.quality.luma },
        Definition(
            "sharpness", range: "0 and up", decimals: 2,
            "The variance of the Laplacian of the frame's luma (0 to 255), in the size in which faces are searched (640 pixels"
                + " on the longer side at most, unless a setting changes that). Small if the frame is blurred, or has little detail: compare"
                + " frames of one shot with each other."
        ) { $0.frame.quality.sharpness },
        Definition(
            "damaged", range: "0 or 1",
            "1 if the decoder reported an error in the frame's data, or in a frame since the last keyframe from which it may"
                + " have been predicted. Such a frame may show blocks or smears, and what is measured in it may be wrong."
        ) { .integer($0.frame.isDamaged ? 1 : 0) },
        Definition(
            "voice", range: "0 to 100", decimals: 1,
            "How likely somebody speaks, seen or not (Silero VAD). Blank without --speech and without sound."
        ) { $0.frame.voice },
        .number("shot", from: 1, "The number of the shot: one more from each shot_cut in events.csv on.") { $0.shot },
    ]
}
