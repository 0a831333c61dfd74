/// Finds the name that a user probably meant.
package enum NearestName {
    /// Returns the name at the smallest optimal string alignment distance (insertions, removals, replacements, and
    /// swaps of neighbours), or `nil` if it exceeds a third of the letters.
    package static func find(_ name: String, among names: some Sequence<String>) -> String? {
        candidates(name, names).min { $0.distance < $1.distance }.flatMap { $0.isNear ? $0.name : nil }
    }

    /// Returns the names that contain or resemble the typed one, in the order of `sorted`.
    package static func near(_ name: String, among names: [String]) -> [String] {
        ranked(name, names).filter { $0.contains || $0.isNear }.map(\.name)
    }

    /// Sorts the names that contain the typed one first, then by distance. Equally near names keep their order.
    package static func sorted(_ names: [String], by name: String) -> [String] { ranked(name, names).map(\.name) }

    /// `isNear`: the distance is at most a third of the letters of the longer name.
    private typealias Candidate = (name: String, contains: Bool, distance: Int, isNear: Bool)

    private static func candidates(_ name: String, _ names: some Sequence<String>) -> [Candidate] {
        let typed = name.lowercased()
        return names.map { candidate in
            let lowercased = candidate.lowercased()
            let (one, other) = (Array(typed.unicodeScalars), Array(lowercased.unicodeScalars))
            let distance = distance(one, other)
            let isNear = distance <= max(1, max(one.count, other.count) / 3)
            return (candidate, !typed.isEmpty && lowercased.contains(typed), distance, isNear)
        }
    }

    private static func ranked(_ name: String, _ names: [String]) -> [Candidate] {
        candidates(name, names).sorted { ($0.contains ? 0 : 1, $0.distance) < ($1.contains ? 0 : 1, $1.distance) }
    }

    /// `; did you mean 'scale'?`, or an empty string if no name is near.
    package static func suggestion(for name: String, among names: some Sequence<String>) -> String {
        find(name, among: names).map { "; did you mean '\($0)'?" } ?? ""
    }

    private static func distance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Int {
        var rows = [Array(0...b.count)]
        for i in 1..<(a.count + 1) {
            var row = [i]
            for j in 1..<(b.count + 1) {
                let replaced = rows[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)
                var cost = min(replaced, rows[i - 1][j] + 1, row[j - 1] + 1)
                if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] { cost = min(cost, rows[i - 2][j - 2] + 1) }
                row.append(cost)
            }
            rows.append(row)
        }
        return rows[a.count][b.count]
    }
}

/// A fixed set of values that files give by name.
public protocol NamedChoice: RawRepresentable, CaseIterable, Decodable where RawValue == String {}

extension NamedChoice {
    /// Throws `DecodingError` that lists the names if the value is none of them.
    public init(from decoder: any Decoder) throws {
        self = try decoder.value(Self.init(rawValue:)) { name in
            "'\(name)' is not one of \(Self.allCases.map(\.rawValue).joined(separator: ", "))"
        }
    }
}

extension Decoder {
    /// Decodes a value from its text. Throws `DecodingError` with the problem if the text has none.
    func value<Value>(_ parse: (String) -> Value?, _ problem: (String) -> String) throws -> Value {
        let container = try singleValueContainer()
        let text = try container.decode(String.self)
        if let value = parse(text) { return value }
        throw DecodingError.dataCorruptedError(in: container, debugDescription: problem(text))
    }
}
