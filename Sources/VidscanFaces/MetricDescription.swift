/// What each metric means, for the schema.
extension Metric {
    public var unit: String {
        switch self {
        case .gazeYaw, .gazePitch: "degrees"
        default: ""
        }
    }

    public var range: String {
        switch self {
        case .valence: "-100 to 100"
        case .gazeYaw, .gazePitch: "-90 to 90"
        case _ where isFlag: "0 or 1"
        default: "0 to 100"
        }
    }

    /// The definition in plain words, with what is known of its validity.
    public var meaning: String {
        MetricText.meanings[self] ?? rawValue
    }
}

enum MetricText {
    static let meanings: [Metric: String] = [:]
}
