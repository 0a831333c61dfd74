internal import VidscanBase

/// In how many frames the faces that were to stay visible did, and why not in the others.
public struct VisibilityTally: Sendable, Equatable {
    /// Frames that show a face that was to stay visible.
    public private(set) var visibleFrames = 0
    /// Frames in which such a face is hidden because of a doubt.
    public private(set) var doubtfulFrames = 0
    /// The same by reason. A frame may have several.
    public private(set) var framesByDoubt: [Doubt: Int] = [:]

    /// `faces left visible in 12 frames, hidden in doubt in 3 frames`
    public var words: String {
        "faces left visible in \(NumberText.count(visibleFrames, "frame")), hidden in doubt in"
            + " \(NumberText.count(doubtfulFrames, "frame"))"
    }

    /// Adds a frame.
    mutating func add(visibleFaces: Int, doubts: Set<Doubt>) {
        if visibleFaces > 0 { visibleFrames += 1 }
        if !doubts.isEmpty { doubtfulFrames += 1 }
        for doubt in doubts { framesByDoubt[doubt, default: 0] += 1 }
    }
}
