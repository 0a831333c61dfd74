/// The action units of the Facial Action Coding System (Ekman, Friesen and Hager, 2002) that an expression stands for.
///
/// An action unit is its expression under the name and on the scale, 0…1, that researchers look for. No face was coded
/// by trained coders to validate it, so its evidence is the expression's.
extension Metric {
    /// The name of an action unit and the expression that it is a share of; `nil` for other metrics.
    ///
    /// AU 23, which OpenFace and Py-Feat have, is missing: no expression tells tightened lips from pressed ones.
    public var actionUnit: (name: String, expression: Metric)? {
        switch self {
        case .au01: ("Inner brow raiser", .innerBrowRaise)
        case .au02: ("Outer brow raiser", .browRaise)
        case .au04: ("Brow lowerer", .browFurrow)
        case .au05: ("Upper lid raiser", .eyeWiden)
        case .au06: ("Cheek raiser", .cheekRaise)
        case .au07: ("Lid tightener", .lidTighten)
        case .au09: ("Nose wrinkler", .noseWrinkle)
        case .au10: ("Upper lip raiser", .upperLipRaise)
        case .au12: ("Lip corner puller", .smile)
        case .au14: ("Dimpler", .dimpler)
        case .au15: ("Lip corner depressor", .lipCornerDepressor)
        case .au17: ("Chin raiser", .chinRaise)
        case .au18: ("Lip pucker", .lipPucker)
        case .au20: ("Lip stretcher", .lipStretch)
        case .au24: ("Lip pressor", .lipPress)
        case .au25: ("Lips part", .mouthOpen)
        case .au26: ("Jaw drop", .jawDrop)
        case .au28: ("Lip suck", .lipSuck)
        case .au43: ("Eyes closed", .eyeClosure)
        case .au45: ("Blink", .eyeClosure)
        default: nil
        }
    }

    /// The action units, in ascending order.
    public static let actionUnits = allCases.filter { $0.actionUnit != nil }

    var actionUnitMeaning: String {
        guard let actionUnit else { return rawValue }
        let unit = "\(actionUnit.name): \(actionUnit.expression.rawValue) divided by 100."
        // A single sample does not tell a blink from eyes that stay closed.
        let caveat = self == .au45 ? " The same as AU43; events.csv has the blinks, which are short." : ""
        return "\(unit) \(actionUnit.expression.meaning)\(caveat)"
    }
}
