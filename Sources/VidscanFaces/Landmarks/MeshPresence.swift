/// The thresholds for accepting a mesh or a face without one.
package enum MeshPresence {
    /// The minimum presence of a mesh. 99.9 % of correct fits have a presence above 0.87, and 1.5 % of background crops
    /// are above this threshold.
    package static let threshold = 0.5

    /// The detector score at which a face is kept without a mesh, at the default settings.
    package static let trusted = 0.5

    /// Returns the detector score at which a face is kept without a mesh, for example a full profile. Of the detections
    /// without a mesh in labelled films and pictures, 27 of 34 that score 0.5 to 0.65 are faces, and 11 of 28 that score
    /// 0.4 to 0.5.
    ///
    /// The mesh hardly tells small faces from other things: of the detections under 32 pixels that score 0.3 to 0.4, 7 of
    /// 15 with a mesh are faces, and 15 of 43 without one. There the score alone decides.
    ///
    /// - Parameters:
    ///   - minimumConfidence: The score of a face that starts a track. Who lowers it wants uncertain faces too.
    ///   - side: The longer side of the box in pixels of the frame.
    package static func trustedConfidence(minimumConfidence: Double, side: Double) -> Double {
        if side < smallSide { return min(minimumConfidence, trusted) }
        return minimumConfidence <= 0.4 ? 0.4 : trusted
    }

    /// The longer side of a box, in pixels of the frame, below which the mesh's presence says little.
    package static let smallSide = 32.0
}
