/// The thresholds for accepting a mesh or a face without one.
package enum MeshPresence {
    /// The minimum presence of a mesh. 99.9 % of correct fits have a presence above 0.87, and 1.5 % of background crops
    /// are above this threshold.
    package static let threshold = 0.5
    /// The detector score at which a face is kept without a mesh, for example a full profile. On the clips examined,
    /// other objects scored at most 0.54 and profiles at least 0.8.
    package static let trustedConfidence = 0.65
}
