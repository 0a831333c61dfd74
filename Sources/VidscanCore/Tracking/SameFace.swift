/// Whether two looks belong to one person beyond doubt: what it takes to join tracks without seeing the way between.
public enum SameFace {
    /// - Returns: how sure it is, above 0; `nil` when there is room for doubt.
    public static func certainty(_ difference: IdentityProfile.Difference) -> Double? {
        guard let portrait = difference.portrait, let hair = difference.hair else { return nil }
        // Clothes and hair of one person in one scene hardly change; another person may wear alike, but then the
        // shape must speak for one person clearly.
        guard portrait < 0.3, hair < 0.3 else { return nil }
        let shape = difference.shapeEvidence ?? -1
        if let clothes = difference.clothes {
            guard clothes < 0.3 else { return nil }
            let likeness = (0.3 - clothes) * 8 + (0.3 - hair) * 6 + (0.3 - portrait) * 5
            let total = likeness + 0.5 * min(shape, 6)
            return shape > -2 && total > 4 ? total : nil
        }
        let total = (0.3 - hair) * 8 + (0.3 - portrait) * 6 + 0.6 * min(shape, 6)
        return shape > 2 && total > 5 ? total : nil
    }

    /// Whether two looks may belong to one person.
    public static func isPossible(_ difference: IdentityProfile.Difference) -> Bool {
        if let shape = difference.shapeEvidence, shape < -4 { return false }
        if let clothes = difference.clothes, clothes > 0.5 { return false }
        if let hair = difference.hair, hair > 0.5 { return false }
        return true
    }
}
