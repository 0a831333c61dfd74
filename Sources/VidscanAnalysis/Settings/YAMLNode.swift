internal import Yams

extension Node {
    var position: TextPosition {
        mark.map { TextPosition(line: $0.line, column: $0.column) } ?? .start
    }

    /// There is nothing, or `null`.
    var isEmpty: Bool {
        guard let scalar, !scalar.style.isQuoted else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(scalar.string)
    }

    var words: String {
        switch self {
        case .mapping: return "a mapping"
        case .sequence: return "a list"
        case .alias: return "an alias"
        case .scalar(let scalar):
            if isEmpty { return "empty" }
            return scalar.style.isQuoted ? "the text \"\(scalar.string)\"" : scalar.string
        }
    }
}

extension Node.Scalar.Style {
    var isQuoted: Bool { self != .plain && self != .any }
}
