/// A track after the corrections: a part of a track of the analysis, or the whole of it.
struct TrackPart: Equatable {
    /// The face_id that the analysis gave.
    let original: Int
    /// The range of times, in microseconds, in which the samples of the track are this part's.
    var from = Int64.min
    /// The part ends before it.
    var until = Int64.max
    var faceID: Int
    var personID: Int
    /// Whether it shows no face.
    var isRemoved = false
    /// Whether a correction decided whose face it is.
    var isDecided = false

    func contains(_ microseconds: Int64) -> Bool { from <= microseconds && microseconds < until }
}
