/// Decides from their profiles whether two tracks belong to one person, without a continuous track between them.
public enum IdentityDecision {
    /// The minimum certainty for two tracks to be one person.
    public static let certain = 4.5
    /// The minimum certainty for a face to keep its number across a cut.
    public static let certainAcrossCut = 6.0

    /// Returns the certainty that two profiles belong to one person, up to about 9; 0 if there is evidence against it.
    public static func certainty(_ difference: IdentityProfile.Difference) -> Double {
        guard let portrait = difference.portrait, let hair = difference.hair, portrait < 0.3, hair < 0.3 else {
            return 0
        }
        // One person's clothes and hair hardly change within a scene. Another person may wear similar ones, so the
        // shape must not be clear evidence against one person.
        let shape = difference.shapeEvidence ?? -1
        if let clothes = difference.clothes {
            guard clothes < 0.3, shape > -2 else { return 0 }
            return (0.3 - clothes) * 8 + (0.3 - hair) * 6 + (0.3 - portrait) * 5 + 0.5 * min(shape, 6)
        }
        // In a close-up that shows no clothes, many people look similar.
        guard shape > 2 else { return 0 }
        return (0.3 - hair) * 8 + (0.3 - portrait) * 6 + 0.6 * min(shape, 6) - 1.3
    }

    /// Returns whether two profiles may belong to one person.
    public static func isPossible(_ difference: IdentityProfile.Difference) -> Bool {
        if let shape = difference.shapeEvidence, shape < -4 { return false }
        if let clothes = difference.clothes, clothes > 0.5 { return false }
        if let hair = difference.hair, hair > 0.5 { return false }
        return true
    }
}
