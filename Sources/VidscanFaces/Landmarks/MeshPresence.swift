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
    /// - Parameter minimumConfidence: The score of a face that starts a track. Who lowers it wants uncertain faces too.
    package static func trustedConfidence(minimumConfidence: Double) -> Double {
        minimumConfidence <= 0.4 ? 0.4 : trusted
    }
}
