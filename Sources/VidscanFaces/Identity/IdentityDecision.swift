/// Whether two looks belong to one person: what it takes to join tracks without seeing the way between.
public enum IdentityDecision {
    /// A certainty at which two tracks are one person.
    public static let certain = 4.5
    /// A certainty at which a face keeps its number after a cut.
    public static let beyondDoubt = 6.0

    /// - Returns: how sure it is, up to about 9; 0 when something speaks against it.
    public static func certainty(_ difference: IdentityProfile.Difference) -> Double {
        guard let portrait = difference.portrait, let hair = difference.hair, portrait < 0.3, hair < 0.3 else {
            return 0
        }
        // Clothes and hair of one person in one scene hardly change; another person may wear alike, but then the
        // shape must speak for one person clearly.
        let shape = difference.shapeEvidence ?? -1
        if let clothes = difference.clothes {
            guard clothes < 0.3, shape > -2 else { return 0 }
            return (0.3 - clothes) * 8 + (0.3 - hair) * 6 + (0.3 - portrait) * 5 + 0.5 * min(shape, 6)
        }
        // In a close-up that shows no clothes, many people look alike.
        guard shape > 2 else { return 0 }
        return (0.3 - hair) * 8 + (0.3 - portrait) * 6 + 0.6 * min(shape, 6) - 1.3
    }

    /// Whether two looks may belong to one person.
    public static func isPossible(_ difference: IdentityProfile.Difference) -> Bool {
        if let shape = difference.shapeEvidence, shape < -4 { return false }
        if let clothes = difference.clothes, clothes > 0.5 { return false }
        if let hair = difference.hair, hair > 0.5 { return false }
        return true
    }
}
